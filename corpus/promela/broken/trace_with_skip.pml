// about: A trace may hold only sends and receives; Spin refuses `skip` as well.
// expect: refused
// mistake: 13:5 only sends and receives are allowed in a trace
chan q = [1] of { byte };

active proctype p()
{
    q!1
}

trace {
    q!1;
    skip
}
