// about: A channel as a field of a structure.
// expect: holds
// states: 24
// errors: none
typedef Port { chan in = [1] of { byte }; byte count }
Port port[2];

active [2] proctype p()
{
    byte v;
    port[1 - _pid].in!_pid + 1;
    port[_pid].in?v;
    assert(v == 2 - _pid);
    port[_pid].count++
}
