// about: run stands for the number of the new process, so it is a statement that can be taken when it is not 0.
// expect: holds
// states: 32
// errors: none
byte started;

proctype child()
{
    started++
}

init {
    pid p;
    if
    :: run child() -> skip
    fi;
    p = run child();
    assert(p > 0);
    (_nr_pr == 1);
    assert(started == 2)
}
