// about: goto to labels before and after, into and out of loops and choices.
// expect: holds
// states: 18
// errors: none
byte n;

active proctype p()
{
    goto middle;
again:
    n++;
    do
    :: n < 5 -> goto again
    :: n >= 5 ->
        if
        :: n == 5 -> goto inside
        :: n > 5 -> break
        fi;
inside:
        n = n + 10
    od;
    goto finish;
middle:
    assert(n == 0);
    goto again;
finish:
    assert(n == 15)
}
