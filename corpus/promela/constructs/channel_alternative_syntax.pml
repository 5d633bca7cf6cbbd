// about: q!m(a, b) and q?m(a, b) are other ways to write q!m, a, b and q?m, a, b.
// expect: holds
// states: 11
// errors: none
mtype = { put, get };
chan q = [2] of { mtype, byte, byte };

active proctype writer()
{
    q!put(1, 2);
    q!get, 3, 4
}

active proctype reader()
{
    byte a, b;
    if
    :: q?get(a, b) -> assert(false)
    :: q?put(a, b) -> assert(a == 1 && b == 2)
    fi;
    q?get(a, b);
    assert(a == 3 && b == 4)
}
