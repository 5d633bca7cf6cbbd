// about: The bakery without the choosing flags: two customers with the same ticket overtake each other.
// expect: violated assertion
// states: 624
// errors: assertion
#define N   2
#define MAX 4
byte ticket[N];
byte inside;

active [N] proctype customer()
{
    byte other = 1 - _pid;
    byte mine;
    do
    :: mine = ticket[other];
        if
        :: mine < MAX ->
            ticket[_pid] = mine + 1;
            (ticket[other] == 0 || ticket[_pid] < ticket[other] || ticket[_pid] == ticket[other] && _pid < other);
            inside++;
            assert(inside == 1);
            inside--;
            ticket[_pid] = 0
        :: mine >= MAX -> skip
        fi
    od
}
