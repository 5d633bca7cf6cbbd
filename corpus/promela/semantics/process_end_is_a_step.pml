// about: Dying is a step of its own: after the last statement a process is still alive for a while,
// about: so the number of processes seen by the other may be 1 or 2.
// expect: violated assertion
// states: 8
// errors: assertion
byte x;

active proctype watcher()
{
    x == 1;
    assert(_nr_pr == 1)
}

active proctype short_lived()
{
    x = 1
}
