// about: unsigned needs a number of bits.
// expect: refused
// mistake: 4:10 `unsigned` needs a width, as in `unsigned counter : 4`
unsigned counter;

active proctype p()
{
    counter = 1
}
