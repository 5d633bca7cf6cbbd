// about: A structure with a channel field travels in a message and in a parameter; the channel stays the same one.
// expect: holds
// states: 13
// errors: none
typedef C { byte n; chan c = [2] of { byte } }
chan box = [1] of { C };

proctype A(C ch; chan d)
{
    byte x;
    ch.c?x;
    assert(x == 5);
    d!6
}

init
{
    C e;
    C f;
    e.n = 3;
    box!e;
    box?f;
    run A(f, e.c);
    e.c!5;
    e.c?6
}
