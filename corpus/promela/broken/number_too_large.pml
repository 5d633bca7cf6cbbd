// about: The number does not fit into 32 bits. (Spin cuts it without a word.)
// expect: refused
// mistake: 8:9 the number is too large
int x;

active proctype p()
{
    x = 99999999999
}
