// about: While the provided clause is false, not even an atomic sequence already begun goes on.
// expect: holds
// states: 11
// errors: none
bool allowed = true;
byte x;

active proctype p() provided (allowed)
{
    atomic {
        x = 1;
        allowed = false;
        x = 2
    }
    assert(x == 2)
}

active proctype q()
{
    x == 1 -> allowed = true;
    (x == 2)
}
