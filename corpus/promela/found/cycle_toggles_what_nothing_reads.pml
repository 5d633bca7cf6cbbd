// about: A cycle on which a variable that nothing reads takes two rounds to come back to its value.
// options: --acceptance
// expect: violated acceptance-cycle
// liveness: yes
// states: 4
// errors: none
byte h; bool flag; bit b;

active proctype Q()
{
    do
    ::
        skip ->
        b--
    od
}

never {
    accept_here:
    h < 3;
    goto accept_here
}
