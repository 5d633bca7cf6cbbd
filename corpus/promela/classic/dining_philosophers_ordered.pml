// about: The last philosopher takes the forks in the other order; no deadlock, and no fork is held twice.
// expect: holds
// states: 2400
// errors: none
#define N 4
byte holders[N];

inline take(f)
{
    atomic { holders[f] == 0 -> holders[f]++ }
}

active [N] proctype philosopher()
{
    byte first, second;
    if
    :: _pid == N - 1 -> first = 0; second = N - 1
    :: _pid < N - 1 -> first = _pid; second = _pid + 1
    fi;
    do
    :: take(first);
        take(second);
        assert(holders[first] == 1 && holders[second] == 1);
        holders[second]--;
        holders[first]--
    od
}
