// about: `??` takes the first message that matches, wherever it stands; `?` looks at the head only.
// expect: holds
// states: 14
// errors: none
mtype = { data, stop };
chan q = [4] of { mtype, byte };

active proctype p()
{
    byte v;
    q!data, 1;
    q!stop, 2;
    q!data, 3;
    q!stop, 4;
    q??stop, v;
    assert(v == 2 && len(q) == 3);
    q??stop, v;
    assert(v == 4 && len(q) == 2);
    if
    :: q?stop, v -> assert(false)
    :: q?data, v -> assert(v == 1)
    fi;
    q??v, 3;
    assert(v == data && empty(q))
}
