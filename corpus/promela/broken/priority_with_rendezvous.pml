// about: Priorities and rendezvous cannot be combined; Spin does not compile this.
// expect: refused
// mistake: 5:30 priority beside a rendezvous channel
chan c = [0] of { byte };
active proctype A() priority 2
{
    c!1
}
active proctype B()
{
    c?_
}
