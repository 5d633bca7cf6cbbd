// about: Inside an inline even a small range of select is walked step by step; the values are the same.
// expect: holds
// states: 15
// errors: none
byte i;

inline choose(v)
{
    select (v : 1 .. 3)
}

active proctype p()
{
    choose(i);
    assert(i >= 1 && i <= 3)
}
