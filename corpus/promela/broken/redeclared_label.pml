// about: Two labels of one name in a process.
// expect: refused
// mistake: 14:1 label `again` stands twice
byte x;

active proctype p()
{
again:
    x++;
    if
    :: x < 3 -> goto again
    :: else -> skip
    fi;
again:
    x = 0
}
