// about: found by differential fuzzing (seed 100, program 779): states differ
// expect: holds
// states: 5
// errors: none

active proctype P1()
{
    skip
}

active proctype P3() priority 3
{
    if
    ::
        else
    fi
}
