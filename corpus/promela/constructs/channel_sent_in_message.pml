// about: A channel can be sent over a channel; the receiver answers over it.
// expect: holds
// states: 112
// errors: none
chan server = [0] of { byte, chan };

proctype client(byte n)
{
    chan reply = [1] of { short };
    short answer;
    server!n, reply;
    reply?answer;
    assert(answer == n * n)
}

init {
    chan back;
    byte n, served;
    atomic { run client(3); run client(5) };
    do
    :: served < 2 -> server?n, back; back!n * n; served++
    :: served == 2 -> break
    od
}
