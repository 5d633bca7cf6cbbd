// about: One structure cannot be assigned to another as a whole.
// expect: refused
// mistake: 10:5 a structure cannot be assigned
typedef Point { byte x; byte y }
Point a, b;

active proctype p()
{
    a.x = 1;
    b = a
}
