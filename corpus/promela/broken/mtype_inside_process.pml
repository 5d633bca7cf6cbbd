// about: Names of an mtype must be declared outside of processes.
// expect: refused
// mistake: 6:5 an mtype list must stand outside of a process
active proctype p()
{
    mtype = { on, off };
    mtype m;
    m = on
}
