// about: The proctype has two parameters, the run gives one.
// expect: refused
// mistake: 10:9 `child` takes 2 arguments, not 1
proctype child(byte a; byte b)
{
    assert(a == b)
}

init {
    run child(1)
}
