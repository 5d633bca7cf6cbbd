// about: A message is a copy: changing the variable after the send changes nothing in the channel.
// expect: holds
// states: 8
// errors: none
typedef Rec { byte a; byte b }
chan q = [1] of { Rec };

active proctype p()
{
    Rec r, s;
    r.a = 1;
    r.b = 2;
    q!r;
    r.a = 9;
    q?s;
    assert(s.a == 1 && s.b == 2 && r.a == 9)
}
