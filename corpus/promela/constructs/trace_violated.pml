// about: Without waiting for the acknowledgement two sends can follow each other; trace allows no such event.
// about: (Spin: "event_trace error (no matching event)".)
// expect: violated claim-completed
// states: 9
// errors: claim-completed
chan q = [2] of { byte };

active proctype sender()
{
    q!1;
    q!2
}

active proctype receiver()
{
    byte v;
    q?v;
    q?v
}

trace {
    do
    :: q!_; q?_
    od
}
