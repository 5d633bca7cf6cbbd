// about: Another process may run in front of a jump's target, a process's own step in the middle of an atomic sequence.
// expect: violated assertion
// states: 12
// errors: assertion
byte a;

active proctype Q()
{
    byte i;
    if
    :: a = 1; goto inside
    :: a = 3
    fi;
    atomic {
        a = 4;
inside:
        i = i + 1;
        assert(a != 2)
    }
}

active proctype P()
{
end:
    a == 1;
    a = 2
}
