// about: `_` takes any value and keeps none: as a target of assignment and in a receive.
// expect: holds
// states: 10
// errors: none
chan q = [2] of { byte, byte };
byte v;

active proctype p()
{
    _ = 12;
    q!1, 2;
    q!3, 4;
    q?_, v;
    assert(v == 2);
    q?v, _;
    assert(v == 3);
    assert(empty(q))
}
