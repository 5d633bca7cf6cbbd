// about: Two-phase commit with one coordinator and two workers: all decide the same.
// expect: holds
// states: 901
// errors: none
#define N 2
mtype = { prepare, yes, no, commit, rollback };
chan to_worker[N] = [1] of { mtype };
chan to_boss = [N] of { mtype };
mtype decided[N], verdict;

proctype worker(byte me)
{
    mtype m;
    to_worker[me]?prepare;
    if
    :: to_boss!yes
    :: to_boss!no; decided[me] = rollback
    fi;
    to_worker[me]?m;
    assert(decided[me] == 0 || decided[me] == m);
    decided[me] = m
}

init {
    byte i, votes;
    mtype m;
    atomic {
        for (i : 0 .. N - 1) {
            run worker(i)
        }
    }
    for (i : 0 .. N - 1) {
        to_worker[i]!prepare
    }
    verdict = commit;
    do
    :: votes < N ->
        to_boss?m;
        votes++;
        if
        :: m == no -> verdict = rollback
        :: m == yes -> skip
        fi
    :: votes == N -> break
    od;
    for (i : 0 .. N - 1) {
        to_worker[i]!verdict
    }
    _nr_pr == 1;
    assert(decided[0] == decided[1] && decided[0] == verdict)
}
