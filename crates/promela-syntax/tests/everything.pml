/* One of each construct: the seed of the front end's fuzz test. */
#define N 3
#define max(a, b) ((a) > (b) -> (a) : (b))
#if N > 2 && defined(max)
#include "other.h"
#endif

mtype = { red, green blue };
mtype:set = { up, down };
typedef Inner { byte f[2]; mtype:set d };
typedef Outer { Inner i; unsigned u : 5 };
hidden int h = -1;
local byte l; show bool s;
chan q = [N] of { mtype, byte };
chan r[2] = [0] of { Inner, pid, chan };
byte x[N] = { 1, 2, 3 }, y, z = max(N, 'a');
Outer o[2];

inline twice(v, e) {
    v = e
    if
    :: v > N -> skip
    :: else
    fi
}
inline plus(a) { return a + 1 }

active [2] D_proctype P(byte a, b; chan c) priority 2 provided (y < N) {
    xr q; xs r[0];
    byte i = 0
L1: L2: twice(o[1].i.f[0], (a + b));
    y = plus(z);
    do
    :: q!red(1) ; q!!green, 2
    :: q?blue, eval(y) -> q??_, i -> q?<red(i)>
    :: q?[red, i] && nempty(q) || !(len(q) == 2) -> break
    :: atomic { i++; i-- } unless { timeout -> goto L1 }
    :: d_step { select (i : 1 .. 3); for (i : 0 .. N - 1) { x[i] = ~i << 2 % 3 ^ 1 | 2 & 3 } }
    :: for (i in x) { printf("%d %e\n", i, red); printm(red) }
    :: else -> assert(y != 0); progress: skip
    od
}

init priority 1 { atomic { run P(1, 2, q) priority 3; set_priority(_pid, get_priority(1)) } end: }

never { do :: P[1]@L1 && P:i == 3 -> break :: enabled(1) && pc_value(2) > 1 && np_ :: else od }
notrace { q!red, 1; q?red, 1 }
ltl p1 { [] (y > 0 -> <> (P@L2 U !(z == 1) W (x[0] == 1) V true)) }
ltl { always eventually (y == 1) <-> (X y == 2) }
