// about: The same global variable twice.
// expect: refused
// mistake: 6:7 `count` is declared already
byte count;
byte other;
short count;

active proctype p()
{
    count = other
}
