// about: When all processes have stopped, a claim still goes on in the last state (the run stutters):
// about: so a model that ends can violate a liveness property.
// expect: violated acceptance-cycle
// liveness: yes
// states: 5
// errors: none
byte x;

active proctype p()
{
    x = 1;
    x = 2
}

never {
    do
    :: x == 2 -> goto accept_end
    :: true
    od;
accept_end:
    do
    :: x == 2
    od
}
