// about: Lamport's bakery for N customers; a customer gives up its turn rather than draw a ticket above MAX.
// about: Scale with N and MAX.
// expect: holds
// states: 296790
// errors: none
#define N   3
#define MAX 3
byte ticket[N];
bool choosing[N];
byte inside;

active [N] proctype customer()
{
    byte k, top;
    do
    :: choosing[_pid] = true;
        top = 0;
        k = 0;
        do
        :: k < N -> top = (ticket[k] > top -> ticket[k] : top); k++
        :: k == N -> break
        od;
        k = 0;
        if
        :: top < MAX ->
            ticket[_pid] = top + 1;
            top = 0;
            choosing[_pid] = false;
            do
            :: k < N ->
                !choosing[k];
                (k == _pid || ticket[k] == 0 || ticket[_pid] < ticket[k] || ticket[_pid] == ticket[k] && _pid < k);
                k++
            :: k == N -> break
            od;
            k = 0;
            inside++;
            assert(inside == 1);
            inside--;
            ticket[_pid] = 0
        :: top >= MAX ->
            top = 0;
            choosing[_pid] = false
        fi
    od
}
