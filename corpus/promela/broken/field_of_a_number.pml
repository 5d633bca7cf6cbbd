// about: A number has no fields.
// expect: refused
// mistake: 8:7 `n` is a byte and has no fields
byte n;

active proctype p()
{
    n.low = 1
}
