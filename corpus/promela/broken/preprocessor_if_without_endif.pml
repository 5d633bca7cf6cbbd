// about: An #ifdef that is never closed.
// expect: refused
// mistake: 5:1 this #ifdef has no #endif
#define SMALL
#ifdef SMALL
byte x;

active proctype p()
{
    x = 1
}
