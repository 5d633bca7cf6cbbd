// about: A claim may hold an assertion, checked at every step of the system.
// expect: violated assertion
// states: 13
// errors: assertion
byte x;

active [2] proctype p()
{
    x++;
    x--
}

never {
    do
    :: assert(x < 2)
    od
}
