// about: A parameter gets its value from run, not from an initialiser.
// expect: refused
// mistake: 4:23 a parameter cannot have an initialiser
proctype child(byte a = 3)
{
    assert(a == 3)
}

init {
    run child(1)
}
