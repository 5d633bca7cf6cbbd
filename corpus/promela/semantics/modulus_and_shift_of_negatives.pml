// about: Division rounds towards zero, the remainder has the sign of the dividend, >> keeps the sign.
// expect: holds
// states: 9
// errors: none
int n = -7;

active proctype p()
{
    assert(n / 2 == -3);
    assert(n % 2 == -1);
    assert(n % 3 == -1);
    assert(7 % -3 == 1);
    assert(n >> 1 == -4);
    assert(n << 2 == -28);
    assert((1 << 31) < 0)
}
