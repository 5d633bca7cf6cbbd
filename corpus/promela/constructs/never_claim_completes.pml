// about: A never claim that reaches its end reports a violation: here when x and y are equal and not zero.
// expect: violated claim-completed
// states: 14
// errors: claim-completed
byte x, y;

active proctype p()
{
    x = 1;
    x = 2
}

active proctype q()
{
    y = 2;
    y = 3
}

never {
    do
    :: x == y && x > 0 -> break
    :: else
    od
}
