// about: `++` is a statement, not a part of an expression.
// expect: refused
// mistake: 8:10 `++` is not allowed in an expression
byte x, y;

active proctype p()
{
    y = x++ + 1
}
