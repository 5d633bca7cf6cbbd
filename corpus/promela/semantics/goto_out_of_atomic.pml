// about: A jump out of an atomic sequence ends it: from the label on, others may come between.
// expect: violated assertion
// states: 10
// errors: assertion
byte x;

active proctype p()
{
    atomic {
        x = 1;
        goto outside
    }
outside:
    x = 2
}

active proctype q()
{
    x > 0;
    assert(x == 2)
}
