// about: More than 255 processes at once.
// expect: refused
// mistake: 6:9 at most 255 processes are possible
byte x;

active [300] proctype p()
{
    x = 1
}
