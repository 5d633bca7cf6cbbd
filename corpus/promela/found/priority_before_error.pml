// about: A process of higher priority that goes wrong in its next statement goes first: the error is its own.
// expect: violated runtime-error
// states: n/a pan stops at the run-time error
// errors: runtime-error
proctype P()
{
    chan unset;
    chan c = [1] of { byte };
    if
    :: unset!1
    :: c?1
    fi
}

active proctype Q()
{
    run P() priority 4;
    assert(false)
}
