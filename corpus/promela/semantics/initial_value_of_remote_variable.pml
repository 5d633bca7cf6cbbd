// about: The initial value of a variable reads another process when its own process is created.
// expect: violated assertion
// states: 20
// errors: assertion
active proctype Q()
{
    byte x;

    x = 1;
    x = 1
}

proctype P2()
{
    byte n = Q:x;

    assert(n == 0)
}

active proctype P()
{
    run P2()
}
