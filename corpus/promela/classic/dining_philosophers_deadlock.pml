// about: Everybody takes the left fork first: all may sit with one fork each.
// expect: violated invalid-end-state
// states: 35
// errors: invalid-end-state
#define N 3
bool taken[N];

active [N] proctype philosopher()
{
    byte left = _pid;
    byte right = (_pid + 1) % N;
    do
    :: atomic { !taken[left] -> taken[left] = true };
        atomic { !taken[right] -> taken[right] = true };
        taken[right] = false;
        taken[left] = false
    od
}
