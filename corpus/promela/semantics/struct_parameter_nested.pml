// about: Nested structures are passed field by field; a channel field is the caller's channel.
// expect: holds
// states: 20
// errors: none
typedef I { byte a = 3; short s = -2 }
typedef C { I i; chan c; byte z = 9; chan d = [1] of { byte }; unsigned u : 3 = 2 }
chan q = [1] of { byte };

proctype A(C ch; byte k)
{
    byte x;
    assert(ch.i.a == 1 && ch.i.s == -5 && ch.z == 9 && ch.u == 1 && k == 8);
    ch.c?x;
    assert(x == 5);
    ch.d!7
}

init
{
    C e;
    byte y;
    e.i.a = 1;
    e.i.s = -5;
    e.c = q;
    e.u = 1;
    run A(e, 8);
    q!5;
    e.d?y;
    assert(y == 7);
    assert(e.z == 9)
}
