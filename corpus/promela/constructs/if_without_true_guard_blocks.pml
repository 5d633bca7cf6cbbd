// about: An if whose guards are all false waits until one becomes true.
// expect: holds
// states: 25
// errors: none
byte x;

active proctype waiter()
{
    if
    :: x == 1 -> x = 5
    :: x == 2 -> x = 6
    fi;
    assert(x == 5 || x == 6)
}

active proctype setter()
{
    x = 1;
    if
    :: x == 5
    :: x == 1 -> atomic { x == 1 -> x = 2 } unless { x == 5 }
    fi
}
