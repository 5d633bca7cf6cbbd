// about: An array of channels declared at once: each element is a channel of its own.
// expect: holds
// states: 59
// errors: none
#define N 3
chan ring[N] = [1] of { byte };
byte laps;

active [N] proctype node()
{
    byte token;
    if
    :: _pid == 0 -> ring[1]!1
    :: else -> skip
    fi;
end:
    do
    :: ring[_pid]?token ->
        assert(token <= 2 * N);
        if
        :: token < 2 * N -> ring[(_pid + 1) % N]!token + 1
        :: token == 2 * N -> laps = 2
        fi
    od
}
