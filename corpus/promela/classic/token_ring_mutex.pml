// about: Mutual exclusion by a token that goes round a ring of rendezvous channels.
// expect: holds
// states: 960
// errors: none
#define N 4
chan ring[N] = [0] of { bit };
byte inside;

active [N] proctype station()
{
    bit tok;
    bool wants;
    if
    :: _pid == 0 -> goto holding
    :: _pid != 0 -> skip
    fi;
waiting:
    do
    :: ring[_pid]?tok -> goto holding
    :: atomic { !wants -> wants = true }
    od;
holding:
    if
    :: wants ->
        inside++;
        assert(inside == 1);
        inside--;
        wants = false
    :: !wants -> skip
    fi;
    ring[(_pid + 1) % N]!1;
    goto waiting
}
