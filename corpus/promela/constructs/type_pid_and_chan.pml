// about: pid holds a process number, chan a channel; both can be stored, compared and passed on.
// expect: holds
// states: 13
// errors: none
pid who;
chan a = [1] of { pid };
chan b = [1] of { pid };
chan alias;

proctype child(chan back)
{
    back!_pid
}

init {
    pid expected;
    alias = b;
    assert(alias == b && alias != a);
    expected = run child(alias);
    b?who;
    assert(who == expected);
    assert(empty(a))
}
