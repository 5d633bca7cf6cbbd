// about: The remainder of a division by zero is a run-time error too.
// expect: violated runtime-error
// states: n/a pan stops at the run-time error
// errors: runtime-error
byte size, slot = 5;

active proctype p()
{
    if
    :: size = 3
    :: size = 0
    fi;
    slot = slot % size
}
