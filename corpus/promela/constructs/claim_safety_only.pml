// about: A claim with an accept cycle but no end: with only the safety part checked there is nothing to find.
// expect: holds
// options: --safety-only
// states: 4
// errors: none
bit x;

active proctype p()
{
    do
    :: x = 1 - x
    od
}

never {
    do
    :: x == 0 -> goto accept_zero
    :: true
    od;
accept_zero:
    do
    :: true
    od
}
