// about: run is not allowed in an initialiser.
// expect: refused
// mistake: 10:13 `run` is not allowed in an initialiser
proctype child()
{
    skip
}

init {
    pid p = run child();
    skip
}
