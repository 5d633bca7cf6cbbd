// about: One variable for two fields of a message.
// expect: refused
// mistake: 10:10 `a` stands twice in one receive
chan q = [1] of { byte, byte };

active proctype p()
{
    byte a;
    q!1, 2;
    q?a, a
}
