// about: Numbers are given out in stack order: after the younger died the next process gets its number,
// about: even though the elder finished first.
// expect: holds
// states: 35
// errors: none
bool elder_done;

proctype elder()
{
    elder_done = true
}

proctype younger()
{
    elder_done
}

init {
    pid a, b, c;
    a = run elder();
    b = run younger();
    assert(b == a + 1 || b == a);
    _nr_pr == 1;
    c = run younger();
    assert(c == 1)
}
