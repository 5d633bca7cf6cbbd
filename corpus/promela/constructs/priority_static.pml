// about: With priorities, only processes of the highest priority among those that can move do move.
// expect: holds
// states: 8
// errors: none
byte order;

active proctype low() priority 1
{
    assert(order == 2);
    order = 3
}

active proctype high() priority 5
{
    assert(order == 0);
    order++;
    order++
}
