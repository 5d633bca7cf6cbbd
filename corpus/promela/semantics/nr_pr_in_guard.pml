// about: _nr_pr in a guard makes a process wait for the end of others; the last one to die is the first born.
// expect: holds
// states: 10
// errors: none
byte finished;

active proctype parent()
{
    (_nr_pr == 1) -> assert(finished == 2)
}

active [2] proctype child()
{
    finished++
}
