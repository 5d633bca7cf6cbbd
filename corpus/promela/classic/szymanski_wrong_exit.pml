// about: Szymanski's algorithm where a process does not wait for those with a lower number before it enters.
// expect: violated assertion
// states: 2032
// errors: assertion
#define N 3
byte flag[N];
byte inside;

#define everybody_below(v) (flag[0] < v && flag[1] < v && flag[2] < v)
#define somebody_at(v)     (flag[0] == v || flag[1] == v || flag[2] == v)

active [N] proctype user()
{
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
        inside++;
        assert(inside == 1);
        inside--;
        flag[_pid] = 0
    od
}
