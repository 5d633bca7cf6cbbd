// about: run returns the new process number; a number is given again once the last process has gone.
// expect: holds
// states: 45
// errors: none
proctype child()
{
    skip
}

init {
    pid a, b;
    a = run child();
    assert(a == 1);
    _nr_pr == 1;
    b = run child();
    assert(b == 1);
    a = run child();
    assert(a == 1 || a == 2);
    assert(_nr_pr >= 1 && _nr_pr <= 3)
}
