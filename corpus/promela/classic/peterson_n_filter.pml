// about: Peterson's filter lock for N = 3: two levels, each holds one process back. The whole condition
// about: of a wait is read in one step here (see large/peterson_filter.pml for one read a step).
// expect: holds
// states: 2361
// errors: none
#define N 3
byte level[N];
byte last[N];
byte inside;

#define others_below(l) ((_pid == 0 || level[0] < l) && (_pid == 1 || level[1] < l) && (_pid == 2 || level[2] < l))

active [N] proctype user()
{
    byte l;
    do
    :: l = 1;
        do
        :: l < N ->
            level[_pid] = l;
            last[l] = _pid;
            (last[l] != _pid || others_below(l));
            l++
        :: l == N -> break
        od;
        inside++;
        assert(inside == 1);
        inside--;
        l = 0;
        level[_pid] = 0
    od
}
