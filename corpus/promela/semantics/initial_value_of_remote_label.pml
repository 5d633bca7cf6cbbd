// about: The initial value of a variable asks where another process is when its own process is created.
// expect: violated assertion
// states: 20
// errors: assertion
active proctype Q()
{
    byte x;

    x = 1;
here:
    x = 1
}

proctype P2()
{
    bool n = Q@here;

    assert(!n)
}

active proctype P()
{
    run P2()
}
