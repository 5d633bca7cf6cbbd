// about: found by differential fuzzing (seed 100, program 1096): states differ
// expect: holds
// states: 3
// errors: none

active proctype P0()
{
    skip
}

never {
    do
    ::
        enabled(0)
    od
}
