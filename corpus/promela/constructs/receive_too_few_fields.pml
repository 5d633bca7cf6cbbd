// about: One variable for a channel of two fields. (Spin reports it only when the receive is reached.)
// expect: violated runtime-error
// states: 4
// errors: runtime-error
chan q = [1] of { byte, byte };

active proctype p()
{
    byte a;
    q!1, 2;
    q?a
}
