// about: A cycle whose first round sets a local that nothing reads, while a global that nothing reads takes two rounds.
// options: --non-progress
// expect: violated non-progress-cycle
// liveness: yes
// states: 14
// errors: none
byte x2;

active proctype P0()
{
    progress0:
    do
    ::
        break
    od
}

proctype P1(bool p6)
{
    byte l8;
    L0:
    x2 = (1 - x2);
    l8 = 1;
    goto L0
}

init
{
    run P1(0)
}
