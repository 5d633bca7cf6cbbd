// about: Two #else in one group.
// expect: refused
// mistake: 8:1 a second #else
#ifdef BIG
byte x[9];
#else
byte x[2];
#else
byte x[3];
#endif

active proctype p()
{
    x[0] = 1
}
