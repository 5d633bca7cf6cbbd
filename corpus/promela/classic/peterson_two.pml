// about: Peterson's mutual exclusion for two processes.
// expect: holds
// states: 38
// errors: none
bool want[2];
bit turn;
byte inside;

active [2] proctype user()
{
    do
    :: want[_pid] = true;
        turn = 1 - _pid;
        (!want[1 - _pid] || turn == _pid);
        inside++;
        assert(inside == 1);
        inside--;
        want[_pid] = false
    od
}
