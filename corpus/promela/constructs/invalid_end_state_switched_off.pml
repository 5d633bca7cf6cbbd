// about: The same stuck process with the check of end states switched off.
// expect: holds
// options: --no-deadlock
// states: 2
// errors: invalid-end-state
chan q = [0] of { byte };
byte x;

active proctype waits_for_ever()
{
    byte v;
    assert(x == 0);
    q?v
}
