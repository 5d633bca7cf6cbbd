// about: found by differential fuzzing (seed 11, program 121): crash
// expect: violated invalid-end-state
// states: 14
// errors: invalid-end-state

proctype P0()
{
    skip
}

proctype P1(byte p8)
{
    skip
}

active proctype P3()
{
    0
}

init
{
    run P0();
    run P1(0)
}
