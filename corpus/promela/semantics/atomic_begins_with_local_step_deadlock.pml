// about: The deadlock needs another process in front of an atomic sequence that begins with a process's own step.
// expect: violated invalid-end-state
// states: 22
// errors: invalid-end-state
byte a;

active proctype Q()
{
    byte i;
    a = 1;
    atomic {
        i = 1;
        if
        :: a == 2 -> 0
        :: else
        fi
    }
}

active proctype P()
{
    if
    :: a == 1 -> a = 2
    :: a == 0 -> skip
    fi
}
