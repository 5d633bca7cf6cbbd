// about: Dekker without stepping back: both hold up their flag and wait for each other.
// expect: violated invalid-end-state
// states: 20
// errors: invalid-end-state
bool want[2];
byte inside;

active [2] proctype user()
{
    bit me = _pid;
    do
    :: want[me] = true;
        !want[1 - me];
        inside++;
        assert(inside == 1);
        inside--;
        want[me] = false
    od
}
