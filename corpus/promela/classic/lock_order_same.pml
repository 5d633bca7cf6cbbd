// about: Both take the locks in the same order; no deadlock.
// expect: holds
// states: 37
// errors: none
bit a, b;
byte inside;

inline lock(l)   { atomic { l == 0 -> l = 1 } }
inline unlock(l) { l = 0 }

active [2] proctype worker()
{
    lock(a);
    lock(b);
    inside++;
    assert(inside == 1);
    inside--;
    unlock(b);
    unlock(a)
}
