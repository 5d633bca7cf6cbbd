// about: Arrays inside a structure are passed with it, arrays of channels too.
// expect: holds
// states: n/a: Spin refuses arrays in structure parameters
// errors: none
typedef I { byte a[3]; short s = -2 }
typedef C { I i[2]; chan c[2] = [1] of { byte }; byte z = 9 }

proctype A(C ch; byte k)
{
    byte x;
    assert(ch.i[0].a[0] == 1 && ch.i[0].a[2] == 2 && ch.i[1].a[1] == 3);
    assert(ch.i[0].s == -2 && ch.i[1].s == -5 && ch.z == 9 && k == 8);
    ch.c[1]?x;
    assert(x == 5);
    ch.i[1].a[1] = 4;
    ch.c[0]!6
}

init
{
    C e[2];
    e[1].i[0].a[0] = 1;
    e[1].i[0].a[2] = 2;
    e[1].i[1].a[1] = 3;
    e[1].i[1].s = -5;
    run A(e[1], 8);
    e[1].c[1]!5;
    e[1].c[0]?6;
    assert(e[1].i[1].a[1] == 3)
}
