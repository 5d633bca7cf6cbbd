// about: All processes are at their end, but a message is left in a channel: by default that is a valid end.
// expect: holds
// states: 4
// errors: none
chan q = [1] of { byte };

active proctype p()
{
    q!1;
    assert(len(q) == 1)
}
