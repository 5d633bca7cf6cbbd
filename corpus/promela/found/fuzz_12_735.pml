// about: found by differential fuzzing (seed 12, program 735): transitions differ
// expect: holds
// states: 7
// errors: none
chan q6 = [0] of { byte, chan };

active proctype P0()
{
    skip
}

active proctype P1()
{
    do
    ::
        break
    ::
        q6!0, 0
    ::
        else
    od
}
