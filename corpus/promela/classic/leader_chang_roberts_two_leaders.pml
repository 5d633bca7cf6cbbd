// about: Chang and Roberts with numbers that are not all different: two nodes think they won.
// expect: violated assertion
// states: 118
// errors: assertion
#define N 3
chan ring[N] = [N] of { byte };
byte leaders;

proctype node(byte place; byte id)
{
    byte other;
    ring[(place + 1) % N]!id;
end:
    do
    :: ring[place]?other ->
        if
        :: other > id -> ring[(place + 1) % N]!other
        :: other < id -> skip
        :: other == id -> leaders++; assert(leaders == 1)
        fi
    od
}

init {
    atomic {
        run node(0, 5);
        run node(1, 1);
        run node(2, 5)
    }
}
