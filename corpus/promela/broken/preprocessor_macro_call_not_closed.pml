// about: The bracket of a macro call is not closed before the end of the file.
// expect: refused
// mistake: 9:9 the call of macro `TWICE` is not closed
#define TWICE(a) ((a) * 2)
byte x;

active proctype p()
{
    x = TWICE(3
}
