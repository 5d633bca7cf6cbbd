// about: The macro N is a number, so this assigns to a number.
// expect: refused
// mistake: 10:5 a constant cannot be assigned
#define N 3
byte a[N];

active proctype p()
{
    a[0] = 1;
    N = 4
}
