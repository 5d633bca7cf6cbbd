// about: a step that leads to a rendezvous disables the `else` beside the offer: no other process may be left out for it.
// expect: violated invalid-end-state
// states: 9
// errors: invalid-end-state
chan d = [0] of { byte };

active proctype P()
{
    skip;
    d?1
}

active proctype Q()
{
    if
    :: d!1
    :: else
    fi
}
