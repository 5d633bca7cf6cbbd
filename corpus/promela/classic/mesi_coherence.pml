// about: MESI for three caches with a split bus: requests are snooped one cache at a time by d_steps.
// expect: holds
// states: 1069
// errors: none
#define N 3
mtype = { M, E, S, I };
mtype line[N] = I;
bool bus_busy;

inline snoop_read()
{
    d_step {
        sharers = 0;
        k = 0;
        do
        :: k < N ->
            if
            :: k != _pid && line[k] != I -> line[k] = S; sharers++
            :: else -> skip
            fi;
            k++
        :: else -> break
        od;
        k = 0
    }
}

inline snoop_write()
{
    d_step {
        k = 0;
        do
        :: k < N ->
            if
            :: k != _pid -> line[k] = I
            :: else -> skip
            fi;
            k++
        :: else -> break
        od;
        k = 0
    }
}

active [N] proctype cache()
{
    byte k, sharers;
    do
    :: line[_pid] == I ->
        atomic { !bus_busy -> bus_busy = true };
        snoop_read();
        if
        :: sharers == 0 -> line[_pid] = E
        :: sharers > 0 -> line[_pid] = S
        fi;
        sharers = 0;
        bus_busy = false
    :: line[_pid] == S ->
        atomic { !bus_busy -> bus_busy = true };
        if
        :: line[_pid] == S -> snoop_write(); line[_pid] = M
        :: line[_pid] != S -> skip
        fi;
        bus_busy = false
    :: d_step { line[_pid] == E -> line[_pid] = M }
    :: d_step { !bus_busy && line[_pid] != I -> line[_pid] = I }
    od
}

never {
    do
    :: (line[0] == M || line[0] == E) && (line[1] != I || line[2] != I) -> break
    :: (line[1] == M || line[1] == E) && (line[0] != I || line[2] != I) -> break
    :: (line[2] == M || line[2] == E) && (line[0] != I || line[1] != I) -> break
    :: else
    od
}
