// about: _last is the number of the process that took the last step; here the claim watches that
// about: y is only ever changed by process 1.
// expect: holds
// states: 40
// errors: none
byte x, y;

active proctype left()
{
    do
    :: x < 2 -> x++
    :: x == 2 -> break
    od
}

active proctype right()
{
    y = 1;
    y = 2
}

never {
start:
    do
    :: y == 0
    :: y == 1 -> break
    od;
    do
    :: y == 1
    :: y == 2 && _last == 0 -> assert(false)
    :: y == 2 && _last == 1 -> break
    od;
    do
    :: true
    od
}
