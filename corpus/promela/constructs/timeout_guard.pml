// about: timeout is true only in states where no process can do anything else.
// expect: holds
// states: 12
// errors: none
byte stage;
chan q = [0] of { byte };

active proctype sleeper()
{
    byte v;
    q?v;
    assert(v == 9)
}

active proctype walker()
{
    stage++;
    stage++
}

active proctype waker()
{
    timeout ->
    assert(stage == 2);
    q!9
}
