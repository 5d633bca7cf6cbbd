// about: if as in C, with a block in braces.
// expect: refused
// mistake: 8:8 `::` is expected
byte x;

active proctype p()
{
    if (x == 0) {
        x = 1
    }
}
