// about: One value for a channel of two fields. (Spin reports it only when the send is reached.)
// expect: refused
// mistake: 8:5 the channel has 2 fields, not 1
chan q = [1] of { byte, byte };

active proctype p()
{
    q!1
}
