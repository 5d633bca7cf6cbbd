// about: Among several true guards any may be taken; every result shows up, and none outside the set.
// expect: holds
// states: 55
// errors: none
byte r;

active [2] proctype p()
{
    if
    :: r = 1
    :: r = 2
    :: true -> r = 3
    :: false -> r = 99
    fi;
    assert(r >= 1 && r <= 3)
}
