// about: A call of an inline that does not exist.
// expect: refused
// mistake: 13:5 `lokc` is not declared
bit l;

inline lock(m)
{
    atomic { m == 0 -> m = 1 }
}

active proctype p()
{
    lokc(l)
}
