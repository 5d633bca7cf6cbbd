// about: found by differential fuzzing (seed 11, program 536): states differ
// expect: holds
// states: 4
// errors: none

proctype P0(byte p6; int p7)
{
    L0:
    {
        do
        ::
            skip ->
            skip
        od
    } unless {
        0
    }
}

init
{
    run P0(0, 0)
}
