// about: notrace describes what must NOT happen: completing it is the error. Here two sends in a row.
// about: (Spin: "event_trace error (all events matched)".)
// expect: violated assertion
// states: 8
// errors: assertion
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
