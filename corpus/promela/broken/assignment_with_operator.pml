// about: There is no `+=` in Promela.
// expect: refused
// mistake: 8:7 `+=` is no operator
byte x;

active proctype p()
{
    x += 2
}
