// about: A whole structure cannot be added to a number.
// expect: refused
// mistake: 10:11 `pt` is a structure, not a number
typedef Point { byte x; byte y }
Point pt;
byte sum;

active proctype p()
{
    sum = pt + 1
}
