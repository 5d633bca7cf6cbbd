// about: One variable for a channel of two fields. (Spin reports it only when the receive is reached.)
// expect: refused
// mistake: 10:5 the channel has 2 fields, not 1
chan q = [1] of { byte, byte };

active proctype p()
{
    byte a;
    q!1, 2;
    q?a
}
