// about: unsigned has at most 31 bits.
// expect: refused
// mistake: 4:20 the width must be from 1 to 31
unsigned counter : 40;

active proctype p()
{
    counter = 1
}
