// about: A d_step whose first statement is a choice waits until one of its guards is true.
// expect: holds
// states: 27
// errors: none
byte x, seen;

active proctype waits()
{
    d_step {
        if
        :: x == 2 -> seen = 2
        :: x == 3 -> seen = 3
        fi;
        x = 0
    }
    assert(seen == 2 || seen == 3)
}

active proctype drives()
{
    x = 1;
    x = 2;
    if
    :: x == 2 -> x = 3
    :: x == 0 -> skip
    fi
}
