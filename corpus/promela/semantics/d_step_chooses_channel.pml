// about: A deterministic sequence receives from the channel that its own assignment has chosen.
// expect: violated assertion
// states: 18
// errors: assertion
chan c[2] = [2] of { byte };

active proctype Q()
{
    byte i;
    byte x;

    c[0]!1;
    c[1]!1;
    c[1]!2;
    d_step { i = 1; c[i]?x }
}

active proctype P()
{
    byte y;

    c[1]?y;
    assert(y != 1)
}
