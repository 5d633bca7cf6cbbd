// about: P[i]@label and P@label in a claim: no two processes in the critical part at once.
// expect: holds
// states: 9
// errors: none
bit lock;
byte other;

active [2] proctype user()
{
    do
    :: atomic { lock == 0 -> lock = 1 };
inside:
        lock = 0
    od
}

active proctype single()
{
only:
    other = 1
}

never {
    do
    :: user[0]@inside && user[1]@inside -> break
    :: single@only && other == 1 -> break
    :: else
    od
}
