// about: found by differential fuzzing (seed 104, program 1787): crash
// expect: violated invalid-end-state
// states: 9
// errors: invalid-end-state
hidden byte x2 = 1;

proctype P1(bit p8)
{
    atomic {
        if
        ::
            skip ->
            x2 = 0
        ::
            skip
        fi
    };
    skip
}

proctype P2(bit p6)
{
    0
}

init
{
    run P1(0);
    run P2(0)
}
