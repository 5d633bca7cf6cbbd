// about: The alternating bit protocol over channels that lose messages; data come in order, without gaps.
// expect: holds
// states: 556
// errors: none
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
    :: timeout -> if :: sent < LAST -> to_receiver!sent, b :: sent >= LAST -> break fi
    od
}

active proctype receiver()
{
    bit expected, b;
    byte data;
end:
    do
    :: to_receiver?data, b ->
        if
        :: b == expected ->
            assert(data == received);
            received++;
            expected = 1 - expected
        :: b != expected -> skip
        fi;
        to_sender!b
    od
}

active proctype thief()
{
end:
    do
    :: to_receiver?_, _
    :: to_sender?_
    od
}
