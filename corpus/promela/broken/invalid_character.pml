// about: A sign from a text editor that is no part of the language.
// expect: refused
// mistake: 9:10 unexpected character
byte x;

active proctype p()
{
    do
    :: x ≤ 3 -> x++
    :: else -> break
    od
}
