// about: (c -> a : b) is a when c is true and b otherwise; only that one is worked out.
// expect: holds
// states: 10
// errors: none
int x = -4, y, zero;

active proctype p()
{
    y = (x < 0 -> -x : x);
    assert(y == 4);
    y = (zero == 0 -> 1 : 100 / zero);
    assert(y == 1);
    y = (x > 0 -> 1 : (x == 0 -> 2 : 3));
    assert(y == 3);
    (y == 3 -> true : false);
    assert((y == 3 -> 5 : 6) + 1 == 6)
}
