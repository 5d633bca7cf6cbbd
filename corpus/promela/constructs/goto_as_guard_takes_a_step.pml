// about: A goto that is the whole of a branch is a step; one at the start of a body is not.
// expect: holds
// states: 36
// errors: none
byte x;

active proctype p()
{
    goto start;
back:
    x = x + 10;
start:
    if
    :: x < 20 -> goto back
    :: x == 20 -> goto finish
    fi;
finish:
    assert(x == 20)
}

active proctype q()
{
    if
    :: goto one
    :: goto two
    fi;
one:
    skip;
two:
    assert(x <= 20)
}
