// about: A jump back before a declaration at the top of a body does not set the variable again.
// expect: holds
// states: 10
// errors: none
active proctype p()
{
    byte n = 1;
again:
    n++;
    if
    :: n < 4 -> goto again
    :: n >= 4 -> skip
    fi;
    assert(n == 4)
}
