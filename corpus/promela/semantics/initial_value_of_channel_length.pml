// about: The initial value of a variable asks about a channel when its process is created.
// expect: violated assertion
// states: 15
// errors: assertion
chan c = [1] of { byte };

proctype P2()
{
    byte n = len(c);

    assert(n == 1)
}

active proctype P()
{
    run P2()
}

active proctype Q()
{
    c!1
}
