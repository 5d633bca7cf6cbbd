// about: Two statements on one line with nothing between them.
// expect: refused
// mistake: 8:11 a `;` is missing before this statement
byte x, y;

active proctype p()
{
    x = 1 y = 2
}
