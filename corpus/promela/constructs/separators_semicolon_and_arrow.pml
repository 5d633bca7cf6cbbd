// about: `;` and `->` both separate statements and mean the same; doubled and trailing ones are harmless.
// expect: holds
// states: 16
// errors: none
byte x;

active proctype setter()
{
    x = 1 -> x = 2 -> x = 3;
}

active proctype watcher()
{
    x == 3; assert(x == 3);;
    if
    :: x == 3; x = 4;
    :: x != 3 -> assert(false);
    fi;
    do :: x < 6; x++; :: x >= 6 -> break; od;
    assert(x == 6);
}
