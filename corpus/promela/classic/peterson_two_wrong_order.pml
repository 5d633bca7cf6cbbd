// about: Peterson with the two writes of the entry swapped: turn is given away before the wish is stated.
// expect: violated assertion
// states: 98
// errors: assertion
bool want[2];
bit turn;
byte inside;

active [2] proctype user()
{
    do
    :: turn = 1 - _pid;
        want[_pid] = true;
        (!want[1 - _pid] || turn == _pid);
        inside++;
        assert(inside == 1);
        inside--;
        want[_pid] = false
    od
}
