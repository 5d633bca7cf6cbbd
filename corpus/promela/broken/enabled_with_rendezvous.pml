// about: Whether a rendezvous send is enabled depends on who answers; Spin does not compile this.
// expect: refused
// mistake: 15:8 enabled in a model with rendezvous channels
chan c = [0] of { byte };
active proctype A()
{
    c!1
}
active proctype B()
{
    c?_
}
never {
    do
    :: enabled(0)
    od
}
