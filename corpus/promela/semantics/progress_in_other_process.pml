// about: A state is a progress state when any process stands at a progress label, even one that is stuck there.
// expect: holds
// options: --non-progress
// states: 2
// errors: none
bit x;

active proctype spinner()
{
    do
    :: x = 1 - x
    od
}

active proctype stands_still()
{
progress_here:
    false
}
