// about: Peterson's filter lock for N processes: N - 1 levels, each holds one process back; the flags of
// about: the others are read one by one. Scale with N.
// expect: holds
// states: 105432
// errors: none
#define N 3
byte level[N];
byte last[N];
byte inside;

active [N] proctype user()
{
    byte l, k;
    do
    :: l = 1;
        do
        :: l < N ->
            level[_pid] = l;
            last[l] = _pid;
            k = 0;
            do
            :: k < N && last[l] == _pid && (k == _pid || level[k] < l) -> k++
            :: last[l] != _pid || k == N -> break
            od;
            l++
        :: l == N -> break
        od;
        inside++;
        assert(inside == 1);
        inside--;
        level[_pid] = 0
    od
}
