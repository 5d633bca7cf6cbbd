// about: The claim is checked in the initial state too, before any process has moved.
// expect: violated claim-completed
// states: 4
// errors: claim-completed
byte x;

active proctype p()
{
    x = 1;
    x = 0
}

never {
    x == 0;
    x == 1;
    x == 0
}
