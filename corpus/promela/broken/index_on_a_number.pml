// about: A variable that is no array gets an index.
// expect: refused
// mistake: 8:5 `n` is not an array
byte n;

active proctype p()
{
    n[1] = 2
}
