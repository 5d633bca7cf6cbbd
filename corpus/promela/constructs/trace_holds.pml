// about: A trace assertion: sends and receives on q must alternate, beginning with a send.
// expect: holds
// states: 46
// errors: none
chan q = [2] of { byte };
chan ack = [0] of { bit };

active proctype sender()
{
    byte i;
    do
    :: i < 3 -> q!i; ack?_; i++
    :: i == 3 -> break
    od
}

active proctype receiver()
{
    byte v, n;
    do
    :: n < 3 -> q?v; ack!1; n++
    :: n == 3 -> break
    od
}

trace {
    do
    :: q!_; q?_
    od
}
