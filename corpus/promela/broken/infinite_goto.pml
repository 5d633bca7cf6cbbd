// about: A label that only jumps to itself: no step is ever taken.
// expect: refused
// mistake: 10:5 this jump leads back to itself without a step
byte x;

active proctype p()
{
    x = 1;
wait:
    goto wait
}
