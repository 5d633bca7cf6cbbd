// about: Which channel a parameter names is known when the model runs: polling a rendezvous channel is a runtime error.
// expect: violated runtime-error
// states: 6
// errors: runtime-error
chan c = [0] of { byte };
byte x;

proctype A(chan d)
{
    if
    :: d?[1] -> x = 1
    :: d??[2] -> x = 2
    :: else
    fi;
    assert(x == 0)
}

init
{
    run A(c)
}
