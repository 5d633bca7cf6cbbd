// about: Two else branches in one choice.
// expect: refused
// mistake: 11:8 a second `else` in the same choice
byte x;

active proctype p()
{
    if
    :: x == 0 -> x = 1
    :: else -> x = 2
    :: else -> x = 3
    fi
}
