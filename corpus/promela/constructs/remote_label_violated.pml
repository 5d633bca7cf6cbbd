// about: The same claim on a lock that is tested and set in two steps.
// expect: violated claim-completed
// states: 11
// errors: claim-completed
bit lock;

active [2] proctype user()
{
    do
    :: lock == 0 ->
        lock = 1;
inside:
        lock = 0
    od
}

never {
    do
    :: user[0]@inside && user[1]@inside -> break
    :: else
    od
}
