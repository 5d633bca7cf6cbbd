// about: Go-back-N with as many sequence numbers as the window is wide: a repeat is taken for the next lap.
// expect: violated assertion
// states: 522
// errors: assertion
#define N    2
#define MOD  2
#define LAST 3
chan forth = [1] of { byte, byte };
chan back = [1] of { byte };
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
    :: timeout -> if :: base < LAST -> next = base :: base >= LAST -> break fi
    od
}

active proctype receiver()
{
    byte nr, value;
end:
    do
    :: forth?nr, value ->
        if
        :: got < LAST && nr == got % MOD -> assert(value == got); got++
        :: else -> skip
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
    :: back?_
    od
}
