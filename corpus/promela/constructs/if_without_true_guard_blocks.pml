// about: An if whose guards are all false waits until one becomes true.
// expect: holds
// states: 22
// errors: none
byte x, way;

active proctype waiter()
{
    if
    :: x == 2 -> way = 2
    :: x == 3 -> way = 3
    fi;
    assert(way == x || way == 2 && x == 3)
}

active proctype setter()
{
    x = 1;
    x = 2;
    x = 3
}
