// about: A channel declared in a proctype is made anew for every instance.
// expect: holds
// states: 400
// errors: none
byte sum;

active [3] proctype p()
{
    chan mine = [2] of { byte };
    byte v;
    mine!_pid;
    assert(len(mine) == 1);
    mine?v;
    assert(v == _pid);
    sum = sum + v;
    assert(sum <= 3)
}
