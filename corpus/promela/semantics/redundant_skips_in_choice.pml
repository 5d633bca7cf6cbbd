// about: Steps that do nothing are still steps; but Spin drops the second of two skips in a row in a branch.
// expect: holds
// states: 57
// errors: none
byte x;

active [2] proctype p()
{
    if
    :: x == 0 -> skip; skip; skip; x = 1
    :: x == 1 -> skip; x = 1
    fi;
    skip;
    skip
}
