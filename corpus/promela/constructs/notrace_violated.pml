// about: notrace describes what must NOT happen: completing it is the error. Here two sends in a row.
// about: (Spin: "event_trace error (all events matched)".)
// expect: violated claim-completed
// states: 8
// errors: claim-completed
mtype = { hello, bye };
chan q = [2] of { mtype };

active proctype sender()
{
    q!hello;
    q!bye
}

active proctype receiver()
{
    q?hello;
    q?bye
}

notrace {
    q!hello;
    q!bye
}
