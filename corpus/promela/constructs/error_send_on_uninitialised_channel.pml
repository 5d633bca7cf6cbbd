// about: A channel variable that never got a channel can be passed on, but not used.
// expect: violated runtime-error
// states: n/a pan stops at the run-time error
// errors: runtime-error
chan good = [1] of { byte };
chan nowhere;

proctype sender(chan q)
{
    q!1
}

init {
    run sender(good);
    run sender(nowhere)
}
