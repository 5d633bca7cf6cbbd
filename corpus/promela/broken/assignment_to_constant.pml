// about: A number stands on the left of an assignment.
// expect: refused
// mistake: 8:5 a constant cannot be assigned
byte x;

active proctype p()
{
    5 = x
}
