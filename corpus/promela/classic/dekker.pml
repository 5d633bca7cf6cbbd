// about: Dekker's mutual exclusion, the first solution with plain reads and writes.
// expect: holds
// states: 146
// errors: none
bool want[2];
bit turn;
byte inside;

active [2] proctype user()
{
    bit me = _pid;
    do
    :: want[me] = true;
        do
        :: !want[1 - me] -> break
        :: want[1 - me] ->
            if
            :: turn == me
            :: turn != me ->
                want[me] = false;
                turn == me;
                want[me] = true
            fi
        od;
        inside++;
        assert(inside == 1);
        inside--;
        turn = 1 - me;
        want[me] = false
    od
}
