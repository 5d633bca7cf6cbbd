// about: select sets the variable in all cases and leaves it inside the range, also with equal bounds.
// expect: holds
// states: 7
// errors: none
byte i = 77, lo = 4, hi = 4;

active proctype p()
{
    select (i : lo .. hi);
    assert(i == 4);
    select (i : 9 .. 9);
    assert(i == 9)
}
