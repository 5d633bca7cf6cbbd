// about: The claim does not move at the steps inside an atomic sequence: x == 2 is never seen.
// expect: holds
// states: 5
// errors: none
byte x;

active proctype p()
{
    x = 1;
    atomic {
        x = 2;
        x = 3
    }
    x = 4
}

never {
    do
    :: x == 2 -> break
    :: x != 2
    od
}
