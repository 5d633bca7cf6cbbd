// about: A structure parameter has what it was given, not what the initialisers of its type say.
// expect: violated assertion
// states: 6
// errors: assertion
typedef C { int size = 0 }

proctype A(C ch)
{
    assert(ch.size == 0)
}

init
{
    C e;
    e.size = 1;
    run A(e)
}
