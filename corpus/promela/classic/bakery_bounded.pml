// about: Lamport's bakery for two processes; a process waits before it takes a ticket above MAX.
// expect: holds
// states: 831
// errors: none
#define N   2
#define MAX 4
byte ticket[N];
bool choosing[N];
byte inside;

active [N] proctype customer()
{
    byte other = 1 - _pid;
    byte mine;
    do
    :: choosing[_pid] = true;
        mine = ticket[other];
        if
        :: mine < MAX ->
            ticket[_pid] = mine + 1;
            choosing[_pid] = false;
            !choosing[other];
            (ticket[other] == 0 || ticket[_pid] < ticket[other] || ticket[_pid] == ticket[other] && _pid < other);
            inside++;
            assert(inside == 1);
            inside--;
            ticket[_pid] = 0
        :: mine >= MAX ->
            choosing[_pid] = false
        fi
    od
}
