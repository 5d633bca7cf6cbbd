// about: If the first statement of an atomic sequence blocks, nothing has begun: another process runs.
// expect: holds
// states: 7
// errors: none
byte turn, log;

active proctype second()
{
    atomic {
        turn == 1 -> log = log * 10 + 2;
        turn = 2
    }
}

active proctype first()
{
    atomic {
        turn == 0 -> log = log * 10 + 1;
        turn = 1
    }
    turn == 2;
    assert(log == 12)
}
