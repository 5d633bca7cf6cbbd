// about: Leader election in a ring in the style of Dolev, Klawe and Rodeh: in each round an active node
// about: stays only if the number of its active neighbour beats its own and that of the one before.
// expect: holds
// states: 303
// errors: none
#define N 3
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
    atomic {
        run node(0, 1);
        run node(1, 3);
        run node(2, 2)
    }
}
