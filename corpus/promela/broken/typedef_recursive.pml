// about: A structure that holds itself would have no end.
// expect: refused
// mistake: 4:28 `Node` is not complete yet
typedef Node { byte value; Node next }
Node n;

active proctype p()
{
    n.value = 1
}
