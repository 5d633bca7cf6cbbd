// about: A bracket of a condition is missing.
// expect: refused
// mistake: 9:27 a `)` is missing before this
byte x;

active proctype p()
{
    if
    :: (x == 0 && (x < 3) -> x = 1
    :: else -> skip
    fi
}
