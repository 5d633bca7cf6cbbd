// about: A window as large as the space of sequence numbers: when all acknowledgements of a window are lost,
// about: its repeat is taken for the next window.
// expect: violated assertion
// states: 369
// errors: assertion
#define WINDOW 2
#define MOD    2
#define LAST   3
chan data = [2] of { byte, byte };
chan acks = [2] of { byte };
byte delivered;

active proctype sender()
{
    byte base, next, nr;
    do
    :: next < base + WINDOW && next < LAST ->
        data!next % MOD, next;
        next++
    :: acks?nr ->
        if
        :: base < next && nr == base % MOD -> base++
        :: else -> skip
        fi;
        nr = 0
    :: timeout -> if :: base < LAST -> next = base :: base >= LAST -> break fi
    od
}

active proctype receiver()
{
    byte nr, value;
end:
    do
    :: data?nr, value ->
        if
        :: delivered < LAST && nr == delivered % MOD ->
            assert(value == delivered);
            delivered++
        :: else -> skip
        fi;
        acks!nr
    od
}

active proctype loss()
{
end:
    do
    :: acks?_
    od
}
