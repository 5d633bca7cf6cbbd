// about: N philosophers, forks taken in the order of their numbers by all but one who takes them the other
// about: way round; the eaters are counted. Scale with N.
// expect: holds
// states: 209715
// errors: none
#define N 9
byte holders[N];
byte eating;

inline take(f)
{
    atomic { holders[f] == 0 -> holders[f]++ }
}

active [N] proctype philosopher()
{
    byte first = (_pid == N - 1 -> 0 : _pid);
    byte second = (_pid == N - 1 -> N - 1 : _pid + 1);
    do
    :: take(first);
        take(second);
        eating++;
        assert(eating <= N / 2 && holders[first] == 1);
        eating--;
        holders[second]--;
        holders[first]--
    od
}
