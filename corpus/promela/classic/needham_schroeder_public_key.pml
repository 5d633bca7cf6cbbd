// about: A small model of the Needham-Schroeder public-key protocol with an intruder who knows what it may
// about: know: Lowe's attack is found. Nonces and keys are numbers; the network is the intruder.
// expect: violated assertion
// states: 72
// errors: assertion, invalid-end-state
mtype = { A, B, X, none };
mtype = { m1, m2, m3 };
// kind, key of the receiver, first part, second part
chan net = [0] of { mtype, mtype, byte, byte };
#define NA 11
#define NB 12
mtype partner_a = none, partner_b = none;
bool done_a, done_b, knows_na, knows_nb;

active proctype alice()
{
    byte n;
    if :: partner_a = B :: partner_a = X fi;
    net!m1, partner_a, A, NA;
    net?m2, A, NA, n;
    net!m3, partner_a, n, 0;
    done_a = true
}

active proctype bob()
{
    byte who, n;
    net?m1, B, who, n;
    partner_b = who;
    net!m2, partner_b, n, NB;
    net?m3, B, NB, 0;
    done_b = true;
    assert(!(partner_b == A && partner_a == X && done_a))
}

active proctype intruder()
{
    byte p, q;
end:
    do
    :: net?m1, X, p, q -> if :: q == NA -> knows_na = true :: else -> skip fi; p = 0; q = 0
    :: net?m3, X, p, _ -> if :: p == NB -> knows_nb = true :: else -> skip fi; p = 0
    :: knows_na && !done_a -> net!m1, B, A, NA
    :: net?m2, A, p, q -> net!m2, A, p, q; p = 0; q = 0
    :: knows_nb -> net!m3, B, NB, 0
    od
}
