// about: A directive that does not exist.
// expect: refused
// mistake: 4:1 unknown directive #defien
#defien N 3
byte a[3];

active proctype p()
{
    a[0] = 1
}
