// about: break has no loop to leave.
// expect: refused
// mistake: 9:18 `break` outside of a loop
byte x;

active proctype p()
{
    if
    :: x == 0 -> break
    :: else -> skip
    fi
}
