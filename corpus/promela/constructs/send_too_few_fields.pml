// about: One value for a channel of two fields. (Spin reports it only when the send is reached.)
// expect: violated runtime-error
// states: 3
// errors: runtime-error
chan q = [1] of { byte, byte };

active proctype p()
{
    q!1
}
