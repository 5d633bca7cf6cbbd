// about: N philosophers who all take the left fork first. Scale with N.
// expect: violated invalid-end-state
// states: 510116
// errors: invalid-end-state
#define N 11
bool taken[N];

active [N] proctype philosopher()
{
    do
    :: atomic { !taken[_pid] -> taken[_pid] = true };
        atomic { !taken[(_pid + 1) % N] -> taken[(_pid + 1) % N] = true };
        taken[(_pid + 1) % N] = false;
        taken[_pid] = false
    od
}
