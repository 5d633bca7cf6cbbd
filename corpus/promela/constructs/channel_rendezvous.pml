// about: On a channel of size 0 sender and receiver step together; there is no message in between.
// expect: holds
// states: 12
// errors: none
chan door = [0] of { byte, bool };
byte offered, taken;

active proctype giver()
{
    offered = 1;
    door!7, true;
    offered = 2;
    door!8, false
}

active proctype taker()
{
    byte v;
    bool more;
    door?v, more;
    assert(v == 7 && more && offered == 1 || offered == 2 && v == 7);
    taken++;
    door?v, more;
    assert(v == 8 && !more && offered == 2 && len(door) == 0)
}
