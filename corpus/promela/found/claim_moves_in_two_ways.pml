// about: A claim that can move in two ways beside an assertion that fails: the run shown follows the moves of the claim.
// expect: violated assertion
// liveness: yes
// states: 9
// errors: assertion
chan q3[2] = [1] of { bool };

proctype P0(short p7)
{
    assert(q3[(p7 & 1)]?[_])
}

init
{
    run P0(1)
}

never {
    accept_T1:
    if
    ::
        skip
    ::
        goto accept_T1
    fi;
    0
}
