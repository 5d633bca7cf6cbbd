// about: A trace may hold only sends and receives.
// expect: refused
// mistake: 14:5 only sends and receives are allowed in a trace
chan q = [1] of { byte };
byte x;

active proctype p()
{
    q!1
}

trace {
    q!1;
    x == 1
}
