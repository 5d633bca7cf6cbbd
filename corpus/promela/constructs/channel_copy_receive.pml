// about: `?<...>` and `??<...>` copy the values of a message but leave it in the channel.
// expect: holds
// states: 10
// errors: none
chan q = [3] of { byte, byte };

active proctype p()
{
    byte a, b;
    q!1, 10;
    q!2, 20;
    q?<a, b>;
    assert(a == 1 && b == 10 && len(q) == 2);
    q??<2, b>;
    assert(a == 1 && b == 20 && len(q) == 2);
    q?a, b;
    assert(a == 1 && b == 10 && len(q) == 1)
}
