// about: After the rendezvous the sender has lost control; the rest of its atomic sequence may come later.
// expect: violated assertion
// states: 8
// errors: assertion
chan q = [0] of { byte };
byte a;

active proctype sender()
{
    atomic {
        q!1;
        a = 1
    }
}

active proctype receiver()
{
    byte v;
    q?v;
    assert(a == 1)
}
