// about: Go-back-N: after a time-out the sender sends all that is not acknowledged again.
// expect: holds
// states: 1195
// errors: none
#define N    3
#define MOD  4
#define LAST 4
chan forth = [2] of { byte, byte };
chan back = [2] of { byte };
byte got;

active proctype sender()
{
    byte base, next, a, step;
    do
    :: next - base < N && next < LAST -> forth!next % MOD, next; next++
    :: back?a ->
        step = (a + MOD - base % MOD) % MOD;
        if
        :: step > 0 && step <= next - base -> base = base + step
        :: else -> skip
        fi;
        step = 0;
        a = 0
    :: timeout -> if :: base < LAST -> next = base :: base == LAST -> break fi
    od;
    assert(got == LAST)
}

active proctype receiver()
{
    byte nr, value;
end:
    do
    :: forth?nr, value ->
        if
        :: nr == got % MOD -> assert(value == got); got++
        :: nr != got % MOD -> skip
        fi;
        nr = 0;
        value = 0;
        back!got % MOD
    od
}

active proctype loss()
{
end:
    do
    :: forth?_, _
    od
}
