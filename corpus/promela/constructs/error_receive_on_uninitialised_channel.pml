// about: Receiving from a channel variable that never got a channel is a run-time error as well.
// expect: violated runtime-error
// states: n/a pan stops at the run-time error
// errors: runtime-error
chan good = [1] of { byte };
chan nowhere;

proctype receiver(chan q)
{
    byte v;
    q?v
}

init {
    good!1;
    run receiver(good);
    run receiver(nowhere)
}
