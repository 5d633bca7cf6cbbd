// about: found by differential fuzzing (seed 101, program 6099): states differ
// expect: violated invalid-end-state
// states: 6
// errors: invalid-end-state
chan q3 = [0] of { bit, byte };

active proctype P0()
{
    q3!0, 0
}

active proctype P1()
{
    q3!0, 1
}

active proctype P2()
{
    q3?_, eval(_last)
}
