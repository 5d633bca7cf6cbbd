// about: Two indices may name one channel of an array: what one takes is missing where the other is used.
// expect: violated assertion
// states: 30
// errors: assertion
chan c[2] = [2] of { byte };
byte middle;

proctype P(byte i; byte j)
{
    byte x;

    atomic { nempty(c[i]) && nempty(c[j]) -> c[i]?x; middle = 1; c[j]?x; middle = 2 }
}

active proctype Q()
{
    c[0]!2
}

active proctype R()
{
    assert(middle != 1)
}

init
{
    c[0]!1;
    run P(0, 0)
}
