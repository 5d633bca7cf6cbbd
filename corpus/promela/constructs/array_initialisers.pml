// about: One initialiser fills the whole array; a list in braces gives the elements one by one.
// expect: holds
// states: 19
// errors: none
byte same[4] = 3;
byte each[4] = { 1, 2, 4, 8 };
short neg[2] = -5;

active proctype main()
{
    byte local_list[3] = { 9, 8, 7 };
    byte i;
    short sum;
    for (i : 0 .. 3) {
        sum = sum + same[i] * each[i]
    }
    assert(sum == 45);
    assert(local_list[0] == 9 && local_list[2] == 7);
    assert(neg[0] == -5 && neg[1] == -5)
}
