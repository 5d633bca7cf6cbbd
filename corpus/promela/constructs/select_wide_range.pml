// about: A range of more than 33 values, or one with a variable bound, is walked step by step.
// expect: holds
// states: 174
// errors: none
byte i, top = 3;

active proctype p()
{
    select (i : 10 .. 49);
    assert(i >= 10 && i <= 49);
    select (i : 1 .. top);
    assert(i >= 1 && i <= 3)
}
