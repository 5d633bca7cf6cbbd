// about: One `=` too few in a condition in brackets.
// expect: refused
// mistake: 9:11 an assignment is not an expression; `==` is meant
byte x;

active proctype p()
{
    if
    :: (x = 1) -> skip
    :: else -> skip
    fi
}
