// about: A claim may not send a message.
// expect: refused
// mistake: 12:5 a claim may not send
chan q = [1] of { byte };

active proctype p()
{
    q!1
}

never {
    q!2
}
