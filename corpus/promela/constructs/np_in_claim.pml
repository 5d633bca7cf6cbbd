// about: np_ is true in states where no process stands at a progress label; this claim is the one
// about: that a non-progress search uses.
// expect: violated acceptance-cycle
// liveness: yes
// states: 6
// errors: none
byte x;

active proctype p()
{
    do
    :: x = 1 - x
    :: x == 0 ->
progress:
        skip
    od
}

never {
    do
    :: np_ -> goto accept_stuck
    :: true
    od;
accept_stuck:
    do
    :: np_
    od
}
