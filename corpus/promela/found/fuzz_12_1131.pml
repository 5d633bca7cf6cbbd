// about: found by differential fuzzing (seed 12, program 1131): states differ
// expect: violated invalid-end-state
// states: 9
// errors: invalid-end-state
chan q2 = [3] of { bool, mtype };

active proctype P0()
{
    q2!0, 0
}

active proctype P2()
{
    do
    ::
        q2!!len(q2), 0
    od
}
