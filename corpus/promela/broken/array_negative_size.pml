// about: An array of a negative size.
// expect: refused
// mistake: 4:8 the size of an array must be at least 1
byte a[-2];

active proctype p()
{
    a[0] = 1
}
