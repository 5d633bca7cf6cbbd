// about: Both ends of the range of select can be picked: the assertion fails for the upper one.
// expect: violated assertion
// states: 19
// errors: assertion
byte i;

active proctype p()
{
    select (i : 0 .. 5);
    assert(i < 5)
}
