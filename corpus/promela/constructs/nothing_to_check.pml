// about: No assertion, no claim, and the end states switched off: there is nothing to check.
// expect: nothing-checked
// options: --no-deadlock
// states: 4
// errors: invalid-end-state
byte x;

active [2] proctype p()
{
    x++;
    x == 5
}
