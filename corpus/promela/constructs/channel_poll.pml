// about: `?[...]` and `??[...]` only ask whether a receive would be possible; nothing is taken or changed.
// expect: holds
// states: 11
// errors: none
mtype = { red, blue };
chan q = [2] of { mtype, byte };

active proctype p()
{
    byte v = 77;
    assert(!q?[red, v]);
    q!red, 1;
    q!blue, 2;
    assert(q?[red, v] && !q?[blue, v] && q??[blue, v]);
    assert(!q??[red, 2] && q??[blue, 2]);
    assert(v == 77 && len(q) == 2);
    q?[red, 1] && len(q) == 2;
    q?red, v;
    assert(v == 1)
}
