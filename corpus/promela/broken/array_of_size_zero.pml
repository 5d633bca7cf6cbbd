// about: An array of no elements.
// expect: refused
// mistake: 4:8 the size of an array must be at least 1
byte a[0];

active proctype p()
{
    skip
}
