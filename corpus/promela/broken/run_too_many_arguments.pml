// about: The proctype has no parameter, the run gives one.
// expect: refused
// mistake: 10:9 `child` takes 0 arguments, not 1
proctype child()
{
    skip
}

init {
    run child(1)
}
