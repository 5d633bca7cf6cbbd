// about: The filter lock with one level too few lets two processes in.
// expect: violated assertion
// states: 960
// errors: assertion
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
        :: l < N - 1 ->
            level[_pid] = l;
            last[l] = _pid;
            (last[l] != _pid || others_below(l));
            l++
        :: l == N - 1 -> break
        od;
        inside++;
        assert(inside == 1);
        inside--;
        l = 0;
        level[_pid] = 0
    od
}
