// about: A choice must be explored in full: one branch of the three breaks the assertion.
// expect: violated assertion
// states: 10
// errors: assertion
byte r;

active proctype p()
{
    if
    :: r = 1
    :: r = 2
    :: r = 3
    fi;
    assert(r != 2)
}
