// about: A provided clause may use _pid, so two processes take strict turns, step by step.
// expect: holds
// states: 7
// errors: none
byte turn, log[4], n;

active [2] proctype p() provided (turn == _pid)
{
    atomic { log[n] = _pid; n++; turn = 1 - _pid };
    atomic { log[n] = _pid; n++; turn = 1 - _pid };
    atomic { assert(log[0] == 0 && log[1] == 1 && log[2] == 0); turn = 1 - _pid }
}
