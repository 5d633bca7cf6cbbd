// about: A rendezvous channel never holds a message that could be polled.
// expect: refused
// mistake: 8:5 poll of a rendezvous channel
chan c = [0] of { byte };

init
{
    c?[1]
}
