// about: A tracked variable in C: not supported.
// expect: refused
// mistake: 4:1 embedded C code is not supported
c_track "&counter" "sizeof(int)"

active proctype p()
{
    skip
}
