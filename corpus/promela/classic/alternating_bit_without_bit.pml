// about: The same protocol with a receiver that does not look at the bit: a repeated message counts twice.
// expect: violated assertion
// states: 1292
// errors: assertion, invalid-end-state
#define LAST 3
chan to_receiver = [1] of { byte, bit };
chan to_sender = [1] of { bit };
byte sent, received;

active proctype sender()
{
    bit b, ack;
    do
    :: sent < LAST -> to_receiver!sent, b
    :: to_sender?ack ->
        if
        :: ack == b -> b = 1 - b; sent++
        :: ack != b -> skip
        fi
    :: timeout -> break
    od
}

active proctype receiver()
{
    bit b;
    byte data;
end:
    do
    :: to_receiver?data, b ->
        assert(data == received);
        received++;
        to_sender!b
    od
}
