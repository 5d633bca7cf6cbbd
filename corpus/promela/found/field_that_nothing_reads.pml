// about: Two processes write a field that nothing reads, of a structure with another field that is read: they commute.
// expect: holds
// states: 773
// errors: none
typedef Inner { pid f }
typedef Outer { byte k; Inner part }
byte x3;
Outer s5;

proctype P0()
{
    skip;
    if
    :: timeout
    :: x3 = (x3 % 4)
    fi
}

active [3] proctype P1()
{
    x3 = s5.k;
    do
    :: s5.part.f = _pid -> break
    od;
    skip
}

init
{
    skip;
    run P0()
}
