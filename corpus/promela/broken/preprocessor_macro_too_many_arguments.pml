// about: A macro of one argument is called with two.
// expect: refused
// mistake: 9:9 macro `TWICE` takes 1 argument, not 2
#define TWICE(a) ((a) * 2)
byte x;

active proctype p()
{
    x = TWICE(3, 4)
}
