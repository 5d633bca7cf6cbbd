// about: Processes started in an atomic sequence all exist before any of them moves.
// expect: holds
// states: 42
// errors: none
byte here;

proctype member()
{
    here++;
    assert(_nr_pr >= 2)
}

init {
    atomic {
        run member();
        run member();
        run member();
        assert(here == 0 && _nr_pr == 4)
    }
}
