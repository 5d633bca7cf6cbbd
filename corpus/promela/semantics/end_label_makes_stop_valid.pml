// about: A process that waits at an end label for ever is no deadlock, one that waits elsewhere is.
// expect: holds
// states: 7
// errors: none
chan work = [1] of { byte };

active proctype server()
{
    byte v;
end_of_service:
    do
    :: work?v -> assert(v == 1)
    od
}

active proctype client()
{
    work!1
}
