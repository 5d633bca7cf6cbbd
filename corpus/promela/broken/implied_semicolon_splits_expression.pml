// about: The end of a line after a name ends the statement, so the sum falls apart.
// expect: refused
// mistake: 9:9 the statement ended at the line before; `+` cannot begin one
byte a = 1, b = 2, sum;

active proctype p()
{
    sum = a
        + b;
    assert(sum == 3)
}
