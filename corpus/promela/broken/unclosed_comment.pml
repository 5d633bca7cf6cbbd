// about: A comment that nobody closed.
// expect: refused
// mistake: 8:5 this comment is not closed
byte x;

active proctype p()
{
    /* count up
    x++;
    assert(x == 1)
}
