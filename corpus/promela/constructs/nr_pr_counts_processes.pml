// about: _nr_pr is the number of processes alive, and can be used as a guard.
// expect: holds
// states: 15
// errors: none
proctype child()
{
    assert(_nr_pr >= 2)
}

init {
    assert(_nr_pr == 1);
    atomic {
        run child();
        run child();
        assert(_nr_pr == 3)
    }
    (_nr_pr == 1);
    run child();
    (_nr_pr == 1)
}
