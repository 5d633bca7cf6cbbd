// about: A butler lets at most N - 1 sit down; forks are tokens in channels.
// expect: holds
// states: 146
// errors: none
#define N 3
chan fork[N] = [1] of { bit };
chan seat = [N - 1] of { bit };
byte eating;

proctype philosopher(byte place)
{
    do
    :: seat!1;
        fork[place]?_;
        fork[(place + 1) % N]?_;
        eating++;
        assert(eating <= N / 2);
        eating--;
        fork[(place + 1) % N]!1;
        fork[place]!1;
        seat?_
    od
}

init {
    byte i;
    atomic {
        for (i : 0 .. N - 1) {
            fork[i]!1
        }
        for (i : 0 .. N - 1) {
            run philosopher(i)
        }
    }
}
