// about: A variable in C that belongs to the state: not supported.
// expect: refused
// mistake: 4:1 embedded C code is not supported
c_state "int counter" "Global"

active proctype p()
{
    skip
}
