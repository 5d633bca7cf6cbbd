// about: int is 32 bits with a sign; the largest value is 2147483647 and the least -2147483648.
// expect: holds
// states: 12
// errors: none
int i = 2147483647;
int j = -2147483647;

active proctype main()
{
    assert(i + j == 0);
    j--;
    assert(j < -2147483647);
    assert(j + 1 == -i);
    i = 65536;
    i = i * 32767;
    assert(i == 2147418112);
    i = -7;
    assert(i / 2 == -3);
    assert(i % 2 == -1)
}
