// about: Leader election in a ring of one direction, after Chang and Roberts: the highest number wins.
// expect: holds
// states: 787
// errors: none
#define N 4
mtype = { candidate, elected };
chan ring[N] = [N] of { mtype, byte };
byte leaders, leader;

proctype node(byte place; byte id)
{
    byte other;
    bool done;
    ring[(place + 1) % N]!candidate(id);
    do
    :: ring[place]?candidate(other) ->
        if
        :: other > id -> ring[(place + 1) % N]!candidate(other)
        :: other < id -> skip
        :: other == id ->
            leaders++;
            leader = id;
            ring[(place + 1) % N]!elected(id)
        fi
    :: ring[place]?elected(other) ->
        assert(other == N);
        if
        :: other == id -> break
        :: other != id -> ring[(place + 1) % N]!elected(other); break
        fi
    od;
    done = true;
    assert(leaders == 1 && leader == N)
}

init {
    atomic {
        run node(0, 2);
        run node(1, 4);
        run node(2, 1);
        run node(3, 3)
    }
}
