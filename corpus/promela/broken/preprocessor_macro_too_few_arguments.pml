// about: A macro of two arguments is called with one.
// expect: refused
// mistake: 9:9 macro `MAX` takes 2 arguments, not 1
#define MAX(a, b) ((a) > (b) -> (a) : (b))
byte x;

active proctype p()
{
    x = MAX(3)
}
