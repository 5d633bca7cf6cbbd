// about: The same name in two lists.
// expect: refused
// mistake: 5:18 `stop` is declared already
mtype = { start, stop };
mtype = { pause, stop };
mtype m;

active proctype p()
{
    m = stop
}
