// about: The queue of Michael and Scott with N producers and one consumer. Scale with N.
// expect: holds
// states: 1312691
// errors: none
#define N     3
#define NODES (N + 1)
#define NIL   255
byte next[NODES] = NIL;
byte value[NODES];
byte head, tail, fresh = 1;
byte out;

inline cas(cell, old, new, ok)
{
    d_step {
        if
        :: cell == old -> cell = new; ok = true
        :: else -> ok = false
        fi
    }
}

active [N] proctype producer()
{
    byte node, t, n;
    bool ok;
    d_step { node = fresh; fresh++; value[node] = _pid + 1 };
    do
    :: t = tail;
        n = next[t];
        if
        :: n == NIL ->
            cas(next[t], NIL, node, ok);
            if
            :: ok -> break
            :: !ok -> skip
            fi
        :: n != NIL ->
            cas(tail, t, n, ok)
        fi
    od;
    cas(tail, t, node, ok)
}

active proctype consumer()
{
    byte h, n, v;
    bool ok;
    do
    :: out < N ->
        h = head;
        n = next[h];
        if
        :: n != NIL ->
            v = value[n];
            if
            :: h == tail -> cas(tail, h, n, ok)
            :: h != tail -> skip
            fi;
            cas(head, h, n, ok);
            if
            :: ok -> out++; assert(v >= 1 && v <= N)
            :: !ok -> skip
            fi
        :: n == NIL -> skip
        fi
    :: out == N -> break
    od;
    assert(next[head] == NIL)
}
