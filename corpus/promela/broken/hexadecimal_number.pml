// about: Promela has decimal numbers only.
// expect: refused
// mistake: 8:9 hexadecimal numbers are not part of the language
byte x;

active proctype p()
{
    x = 0xFF
}
