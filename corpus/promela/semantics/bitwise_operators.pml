// about: &, |, ^ and ~ on numbers; && and || give 0 or 1.
// expect: holds
// states: 12
// errors: none
byte x = 12, y = 10;
int z;

active proctype p()
{
    assert((x & y) == 8);
    assert((x | y) == 14);
    assert((x ^ y) == 6);
    assert(~x == -13);
    z = x && y;
    assert(z == 1);
    z = (x || 0) + (x && 0);
    assert(z == 1);
    y = ~x;
    assert(y == 243)
}
