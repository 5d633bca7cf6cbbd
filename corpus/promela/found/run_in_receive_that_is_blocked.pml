// about: A receive that is not enabled starts no process, although `run` is in it.
// expect: violated invalid-end-state
// states: n/a pan starts a process whenever it asks whether the receive is enabled
// errors: invalid-end-state
chan c = [2] of { byte };

active proctype Q()
{
    c!1;
    skip
}

active proctype P()
{
    c??eval(run R(1, c))
}

proctype R(byte x; chan q)
{
    assert(false)
}
