// about: A typedef belongs outside of processes.
// expect: refused
// mistake: 6:5 typedef must stand outside of a process
active proctype p()
{
    typedef Pair { byte a; byte b };
    Pair q;
    q.a = 1
}
