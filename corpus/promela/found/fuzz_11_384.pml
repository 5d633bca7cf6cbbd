// about: found by differential fuzzing (seed 11, program 384): refused
// expect: holds
// states: 3
// errors: none

proctype P0()
{
    end0:
    {
        skip;
        skip;
        goto end0
    } unless {
        skip
    }
}

init
{
    skip
}
