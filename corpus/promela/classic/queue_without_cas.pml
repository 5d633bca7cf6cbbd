// about: The same queue with a plain write where the compare-and-swap belongs: a node gets lost.
// expect: violated assertion
// states: 283
// errors: assertion
#define NODES 4
#define NIL   255
byte next[NODES] = NIL;
byte tail, fresh = 1, finished;

active [2] proctype producer()
{
    byte node, t;
    d_step { node = fresh; fresh++ };
    do
    :: t = tail;
        if
        :: next[t] == NIL -> next[t] = node; break
        :: next[t] != NIL -> tail = next[t]
        fi
    od;
    tail = node;
    finished++
}

active proctype counter()
{
    finished == 2;
    assert(next[0] != NIL && next[next[0]] != NIL)
}
