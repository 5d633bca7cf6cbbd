// about: A deterministic sequence sends to the channel that its own assignment has chosen.
// expect: violated assertion
// states: 33
// errors: assertion
chan c[2] = [1] of { byte };
byte go;

active proctype Q()
{
    byte i;

    go == 1;
    d_step { i = 1; c[i]!1 }
}

active proctype P()
{
    byte y;

    go == 1;
    d_step { y = len(c[1]) };
    assert(y == 1)
}

init
{
    go = 1
}
