// about: A buffered channel keeps order and blocks the sender when it is full.
// expect: holds
// states: 87
// errors: none
chan q = [2] of { byte };
byte sent, got;

active proctype sender()
{
    do
    :: sent < 5 -> atomic { q!sent; sent++ }
    :: sent == 5 -> break
    od
}

active proctype receiver()
{
    byte v;
    do
    :: got < 5 ->
        atomic { q?v -> assert(v == got); got++ };
        assert(sent - got <= 2 + 1)
    :: got == 5 -> break
    od
}
