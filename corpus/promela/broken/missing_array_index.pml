// about: An array is used without an index.
// expect: refused
// mistake: 8:5 `a` is an array and needs an index
byte a[3];

active proctype p()
{
    a = 1
}
