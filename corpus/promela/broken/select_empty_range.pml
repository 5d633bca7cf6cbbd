// about: A range that ends before it begins has no value to choose.
// expect: refused
// mistake: 8:17 the range is empty
byte i;

active proctype p()
{
    select (i : 5 .. 2)
}
