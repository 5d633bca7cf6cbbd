// about: Three variables for a channel of two fields. (Spin finds out only when it runs.)
// expect: refused
// mistake: 10:5 the channel has 2 fields, not 3
chan q = [1] of { byte, byte };

active proctype p()
{
    byte a, b, c;
    q!1, 2;
    q?a, b, c
}
