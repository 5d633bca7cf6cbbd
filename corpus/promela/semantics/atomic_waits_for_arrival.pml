// about: An atomic sequence that offers a message in its middle stops there until somebody arrives at the receive.
// expect: violated assertion
// states: 17
// errors: assertion
chan r = [0] of { byte };
byte middle;

active proctype P()
{
    atomic { middle = 1; r!1 }
}

active proctype Q()
{
    byte x;

    x = 1;
    atomic { r?x; middle = 0 }
}

active proctype R()
{
    assert(middle != 1)
}
