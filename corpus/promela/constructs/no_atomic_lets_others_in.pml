// about: The steps of atomic_excludes_others.pml without the atomic: others come between, and see x change.
// expect: violated assertion
// states: 85
// errors: assertion
byte x;

active [2] proctype p()
{
    x++;
    x = x * 2;
    x = x / 2;
    x--;
    assert(x == 0)
}
