// about: A receiver that is not atomic does not keep control after the rendezvous, and the sender loses
// about: its atomic hold: all three may move next, so both orders show up.
// expect: holds
// states: 16
// errors: none
chan q = [0] of { byte };
byte order;

active proctype sender()
{
    atomic { q!1; order = order * 10 + 1 }
}

active proctype receiver()
{
    q?_;
    order = order * 10 + 2
}

active proctype check()
{
    order > 9;
    assert(order == 12 || order == 21)
}
