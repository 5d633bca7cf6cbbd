// about: timeout can be part of a larger condition.
// expect: holds
// states: 8
// errors: none
byte x;

active proctype p()
{
    (timeout && x == 2);
    x = 5
}

active proctype q()
{
    x = 1;
    x = 2;
    x == 5
}
