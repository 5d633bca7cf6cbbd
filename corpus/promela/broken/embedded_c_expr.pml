// about: A condition in C: not supported.
// expect: refused
// mistake: 9:8 embedded C code is not supported
byte x;

active proctype p()
{
    if
    :: c_expr { now.x == 0 } -> skip
    :: else -> skip
    fi
}
