// about: The same: what is written before the blocking statement can be seen by others.
// expect: violated assertion
// states: 9
// errors: assertion
byte x;
bool go;

active proctype p()
{
    atomic {
        x = 1;
        go;
        x = 2
    }
}

active proctype other()
{
    x > 0;
    assert(x == 2);
    go = true
}
