// about: #error stops the reading on purpose.
// expect: refused
// mistake: 6:1 the text of the #error
#define N 300
#if N > 255
#error "N must fit into a byte"
#endif

byte n = N;

active proctype p()
{
    skip
}
