// about: A rendezvous happens only if the constant fields match.
// expect: holds
// states: 5
// errors: none
mtype = { yes, no };
chan q = [0] of { mtype, byte };

active proctype asker()
{
    if
    :: q!yes(1)
    :: q!no(2)
    fi
}

active proctype answerer()
{
    byte v;
    q?no(v);
    assert(v == 2)
}
