// about: When a later field does not match, no variable of the receive is changed.
// expect: holds
// states: 6
// errors: none
chan q = [2] of { byte, byte };

active proctype p()
{
    byte a = 9, b = 9;
    q!1, 2;
    if
    :: q?a, 3 -> assert(false)
    :: q?a, 2 -> assert(a == 1 && b == 9)
    fi;
    assert(empty(q))
}
