// about: A comparison without a right side.
// expect: refused
// mistake: 8:10 an expression is expected
byte x;

active proctype p()
{
    x == ;
    x = 1
}
