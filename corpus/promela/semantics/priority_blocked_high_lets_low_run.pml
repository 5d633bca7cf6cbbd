// about: A process of high priority that cannot move does not keep the others from moving.
// expect: holds
// states: 9
// errors: none
byte x;

active proctype high() priority 9
{
    x == 2;
    x = 3;
    x = 4
}

active proctype low() priority 1
{
    x = 1;
    x = 2;
    assert(x == 4)
}
