// about: Two proctypes of one name.
// expect: refused
// mistake: 11:17 `worker` is declared already
byte x;

active proctype worker()
{
    x = 1
}

active proctype worker()
{
    x = 2
}
