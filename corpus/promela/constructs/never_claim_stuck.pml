// about: A claim that has no step left ends the search on that path without an error: the run is outside
// about: its scope, so the failing assertion after x == 2 is not reached.
// expect: holds
// options: --ltl never_0
// states: 3
// errors: none
byte x;

active proctype p()
{
    x = 1;
    x = 2;
    x = 3;
    assert(false)
}

never {
    x == 0;
    x == 1;
    x == 5;
    x == 9
}
