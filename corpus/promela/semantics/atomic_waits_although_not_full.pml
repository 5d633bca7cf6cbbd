// about: A rendezvous channel is never full; an atomic sequence that has asked waits for the receiver nevertheless.
// expect: violated assertion
// states: 17
// errors: assertion
chan r = [0] of { byte };
byte middle;

active proctype P()
{
    atomic { nfull(r) -> middle = 1; r!1 }
}

active proctype Q()
{
    byte x;

    x = 1;
    atomic { r?x; middle = 0 }
}

active proctype R()
{
    assert(middle != 1)
}
