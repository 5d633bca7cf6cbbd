// about: A sliding window of two with sequence numbers modulo four, over a channel that loses messages.
// expect: holds
// states: 1224
// errors: none
#define WINDOW 2
#define MOD    4
#define LAST   4
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
        :: (nr + MOD - base % MOD) % MOD < WINDOW && base < next ->
            base = base + (nr + MOD - base % MOD) % MOD + 1
        :: else -> skip
        fi
    :: timeout ->
        if
        :: base < LAST -> next = base
        :: base >= LAST -> break
        fi
    od;
    assert(delivered == LAST)
}

active proctype receiver()
{
    byte nr, value;
end:
    do
    :: data?nr, value ->
        if
        :: nr == delivered % MOD ->
            assert(value == delivered);
            delivered++
        :: nr != delivered % MOD -> skip
        fi;
        acks!(delivered + MOD - 1) % MOD
    od
}

active proctype loss()
{
end:
    do
    :: data?_, _
    :: acks?_
    od
}
