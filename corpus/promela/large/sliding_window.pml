// about: A sliding window over two channels that lose messages, with LAST items to deliver.
// about: Scale with WINDOW, SLOTS and LAST; MOD must be larger than WINDOW.
// expect: holds
// states: 133852
// errors: none
#define WINDOW 3
#define MOD    4
#define SLOTS  3
#define LAST   7
chan data = [SLOTS] of { byte, byte };
chan acks = [SLOTS] of { byte };
byte delivered;

active proctype sender()
{
    byte base, next, nr, step;
    do
    :: next - base < WINDOW && next < LAST ->
        data!next % MOD, next;
        next++
    :: acks?nr ->
        step = (nr + MOD - base % MOD) % MOD;
        if
        :: step > 0 && step <= next - base -> base = base + step
        :: else -> skip
        fi;
        d_step { step = 0; nr = 0 }
    :: base < next && empty(data) -> next = base
    :: base == LAST -> break
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
        d_step { nr = 0; value = 0 };
        acks!delivered % MOD
    :: data?_, _
    od
}

active proctype loss()
{
end:
    do
    :: acks?_
    od
}
