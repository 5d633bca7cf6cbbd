// about: A receive that stands in an atomic sequence keeps control after the rendezvous, also when the
// about: sender's statement is not atomic: the receiver's next step always comes first.
// expect: holds
// states: 12
// errors: none
chan q = [0] of { byte };
byte order;

active proctype sender()
{
    q!1;
    order = order * 10 + 1
}

active proctype receiver()
{
    atomic {
        q?_;
        order = order * 10 + 2
    }
}

active proctype check()
{
    order > 0;
    assert(order == 2 || order == 21)
}
