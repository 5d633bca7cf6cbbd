// about: Two parameters may name one channel: what one takes is missing where the other is used.
// expect: violated assertion
// states: 30
// errors: assertion
chan c = [2] of { byte };
byte middle;

proctype P(chan a; chan b)
{
    byte x;

    atomic { nempty(a) && nempty(b) -> a?x; middle = 1; b?x; middle = 2 }
}

active proctype Q()
{
    c!2
}

active proctype R()
{
    assert(middle != 1)
}

init
{
    c!1;
    run P(c, c)
}
