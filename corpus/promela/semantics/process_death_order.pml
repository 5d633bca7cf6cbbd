// about: A process can only die when every process created after it has gone; until then it stays,
// about: finished, and counts in _nr_pr. Here the elder is done at once, yet it outlives the younger.
// expect: holds
// states: 11
// errors: none
bool elder_done, younger_may_go;

proctype elder()
{
    elder_done = true
}

proctype younger()
{
    younger_may_go
}

init {
    atomic { run elder(); run younger() };
    elder_done;
    assert(_nr_pr == 3);
    younger_may_go = true;
    _nr_pr == 1
}
