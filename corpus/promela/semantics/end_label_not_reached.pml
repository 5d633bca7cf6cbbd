// about: The server stops between its end labels: waiting for the second half of a pair is a deadlock.
// expect: violated invalid-end-state
// states: 5
// errors: invalid-end-state
chan work = [1] of { byte };

active proctype server()
{
    byte v;
end:
    do
    :: work?v -> work?v
    od
}

active proctype client()
{
    work!1
}
