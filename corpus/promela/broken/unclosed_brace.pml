// about: The body of the process is never closed.
// expect: refused
// mistake: 7:1 this brace is not closed
byte x;

active proctype p()
{
    x = 1;
    assert(x == 1)
