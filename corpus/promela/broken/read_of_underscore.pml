// about: `_` can be written but not read.
// expect: refused
// mistake: 9:9 `_` cannot be read
byte x;

active proctype p()
{
    _ = 1;
    x = _
}
