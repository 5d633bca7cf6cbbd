// about: The first statement of a d_step may block; it then waits like any statement.
// expect: holds
// states: 9
// errors: none
byte x;

active proctype waits()
{
    d_step {
        x == 2 -> x = 3;
        x = x * 10
    }
    assert(x == 30)
}

active proctype drives()
{
    x = 1;
    x = 2
}
