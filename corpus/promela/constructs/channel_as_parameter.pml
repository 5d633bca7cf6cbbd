// about: A channel given as an argument is the same channel, not a copy.
// expect: holds
// states: 11
// errors: none
chan left = [1] of { byte };
chan right = [1] of { byte };

proctype relay(chan in; chan out)
{
    byte v;
    in?v;
    out!v + 1
}

init {
    byte v;
    run relay(left, right);
    left!41;
    right?v;
    assert(v == 42)
}
