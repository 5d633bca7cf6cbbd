// about: `break` cannot leave a `d_step` sequence.
// expect: refused
// mistake: 10:28 a jump out of a `d_step`
byte x;

active proctype P()
{
    do
    :: d_step { x < 2 -> x++ }
    :: d_step { x == 2 -> break }
    od
}
