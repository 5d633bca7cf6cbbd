// about: Leader election in a ring in the style of Dolev, Klawe and Rodeh, for N nodes numbered in jumps of three
// about: round the ring. Scale with N (N + 1 not a multiple of three, so that all numbers differ).
// expect: holds
// states: 484069
// errors: none
#define N 7
mtype = { first, second, winner };
chan ring[N] = [2 * N] of { mtype, byte };
byte leaders;

proctype node(byte place; byte start)
{
    bool is_active = true, knows;
    byte value = start, neighbour, nr;
    ring[(place + 1) % N]!first(value);
end:
    do
    :: ring[place]?first(nr) ->
        if
        :: !is_active -> ring[(place + 1) % N]!first(nr)
        :: is_active && nr == value ->
            knows = true;
            ring[(place + 1) % N]!winner(value)
        :: is_active && nr != value ->
            neighbour = nr;
            ring[(place + 1) % N]!second(nr)
        fi
    :: ring[place]?second(nr) ->
        if
        :: !is_active -> ring[(place + 1) % N]!second(nr)
        :: is_active && neighbour > nr && neighbour > value ->
            value = neighbour;
            ring[(place + 1) % N]!first(value)
        :: is_active && !(neighbour > nr && neighbour > value) ->
            is_active = false
        fi
    :: ring[place]?winner(nr) ->
        if
        :: nr == start -> leaders++; assert(leaders == 1 && start == N)
        :: nr != start -> skip
        fi;
        if
        :: knows -> skip
        :: !knows -> ring[(place + 1) % N]!winner(nr)
        fi;
        break
    od
}

init {
    byte i;
    atomic {
        for (i : 1 .. N) {
            run node(i - 1, (i * 3) % (N + 1))
        }
    }
}
