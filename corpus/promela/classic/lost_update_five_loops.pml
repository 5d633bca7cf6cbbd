// about: Each of two processes adds five times. The sum is not only anything from 5 to 10:
// about: it can be as low as 2, which the assertion says it cannot.
// expect: violated assertion
// states: 13514
// errors: assertion
byte n, done;

active [2] proctype adder()
{
    byte i, t;
    do
    :: i < 5 -> t = n; n = t + 1; i++
    :: i == 5 -> break
    od;
    done++
}

active proctype check()
{
    done == 2;
    assert(n > 2)
}
