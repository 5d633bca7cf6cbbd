// about: run of a proctype that does not exist.
// expect: refused
// mistake: 10:9 no proctype `wroker`
proctype worker()
{
    skip
}

init {
    run wroker()
}
