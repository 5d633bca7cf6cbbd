// about: A macro name inside a string or as a part of a longer word is left alone.
// expect: holds
// states: 31
// errors: none
#define N 2
byte N_items = 5;
byte xN = 6;

active [N] proctype p()
{
    printf("N is %d, N_items is %d\n", N, N_items);
    assert(N_items == 5);
    assert(xN == 6);
    assert(N == 2)
}
