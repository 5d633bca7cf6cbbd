// about: Precedence as in C: * before +, + before <<, << before <, < before ==, == before &, & ^ | && ||.
// expect: holds
// states: 14
// errors: none
active proctype p()
{
    assert(1 + 2 * 3 == 7);
    assert((1 + 2 << 1) == 6);
    assert((1 << 2 < 5) == 1);
    assert((3 < 2 == 0) == 1);
    assert((6 & 4 == 4) == 0);
    assert((1 | 2 ^ 2 & 3) == 1);
    assert(1 || 0 && 0);
    assert(-2 + 5 == 3);
    assert(!0 + 1 == 2);
    assert(8 - 3 - 2 == 3);
    assert(16 / 4 / 2 == 2);
    assert((5 > 3 -> 1 : 0) == 1)
}
