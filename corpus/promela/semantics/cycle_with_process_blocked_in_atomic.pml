// about: A process that is blocked inside its atomic sequence lets the others run: the cycle of the other one is closed.
// expect: violated non-progress-cycle
// options: --non-progress --fair
// states: 5
// errors: none
bool taken;

active proctype waiter()
{
end:
    atomic { true -> !taken; taken = true }
}

active proctype worker()
{
    taken = true;
    do
    :: atomic { taken = false; taken = true }
    od
}
