// about: An #endif too many.
// expect: refused
// mistake: 5:1 #endif without #if
byte x;
#endif

active proctype p()
{
    x = 1
}
