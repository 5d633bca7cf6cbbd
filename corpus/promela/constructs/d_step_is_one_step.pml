// about: d_step runs as one step: no state in between is stored, and nobody can come between.
// expect: holds
// states: 10
// errors: none
byte a, b, t;

active proctype swapper()
{
    a = 1;
    b = 2;
    d_step {
        t = a;
        a = b;
        b = t;
        t = 0
    }
    assert(a == 2 && b == 1 && t == 0)
}

active proctype watcher()
{
    do
    :: assert(t == 0)
    :: a == 2 -> break
    od
}
