// about: Two processes take two locks in opposite orders.
// expect: violated invalid-end-state
// states: 25
// errors: invalid-end-state
bit a, b;

inline lock(l)   { atomic { l == 0 -> l = 1 } }
inline unlock(l) { l = 0 }

active proctype a_then_b()
{
    lock(a);
    lock(b);
    unlock(b);
    unlock(a)
}

active proctype b_then_a()
{
    lock(b);
    lock(a);
    unlock(a);
    unlock(b)
}
