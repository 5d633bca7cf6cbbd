// about: When nothing else can move, timeout is true for everybody at once: either may go first.
// expect: violated assertion
// states: 36
// errors: assertion
byte order;

active [2] proctype p()
{
    timeout;
    order = order * 10 + _pid + 1;
    timeout;
    assert(order == 12)
}
