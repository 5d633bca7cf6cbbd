// about: A poll takes nothing, copies nothing, and can be combined with other conditions.
// expect: holds
// states: 9
// errors: none
chan q = [2] of { byte };

active proctype p()
{
    byte v = 3;
    q!8;
    if
    :: q?[v] && v == 3 -> assert(v == 3 && len(q) == 1)
    :: !(q?[v] && v == 3) -> assert(false)
    fi;
    assert(q?[8] && !q?[3]);
    assert(!q?[eval(v)]);
    q?v;
    assert(v == 8 && !q?[8])
}
