// about: A jump into the middle of an atomic sequence: from there on it is atomic.
// expect: holds
// states: 7
// errors: none
byte x;

active proctype p()
{
    goto inside;
    atomic {
        x = 1;
inside:
        x = x + 2;
        x = x + 2
    }
}

active proctype q()
{
    assert(x == 0 || x == 4)
}
