// about: A local variable with the name of a global one. Spin 6 refuses to hide a name that is visible.
// expect: refused
// mistake: 8:10 `v` is declared already
byte v = 1;

active proctype p()
{
    byte v = 2;
    assert(v == 2)
}
