// about: Szymanski's mutual exclusion with a waiting room, for three processes.
// expect: holds
// states: 2449
// errors: none
#define N 3
byte flag[N];
byte inside;

#define everybody_below(v) (flag[0] < v && flag[1] < v && flag[2] < v)
#define somebody_at(v)     (flag[0] == v || flag[1] == v || flag[2] == v)

inline wait_lower()
{
    k = 0;
    do
    :: k < _pid && flag[k] < 2 -> k++
    :: k == _pid -> break
    od
}

inline wait_higher()
{
    k = _pid + 1;
    do
    :: k < N && (flag[k] < 2 || flag[k] > 3) -> k++
    :: k >= N -> break
    od
}

active [N] proctype user()
{
    byte k;
    do
    :: flag[_pid] = 1;
        everybody_below(3);
        flag[_pid] = 3;
        if
        :: somebody_at(1) ->
            flag[_pid] = 2;
            somebody_at(4)
        :: !somebody_at(1) -> skip
        fi;
        flag[_pid] = 4;
        wait_lower();
        inside++;
        assert(inside == 1);
        inside--;
        wait_higher();
        flag[_pid] = 0;
        k = 0
    od
}
