// about: The size of an array must be known beforehand.
// expect: refused
// mistake: 8:12 a constant is expected
byte n = 3;

active proctype p()
{
    byte a[n + 1];
    a[0] = 1
}
