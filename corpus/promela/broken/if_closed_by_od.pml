// about: An if that ends with od.
// expect: refused
// mistake: 11:5 `fi` is expected
byte x;

active proctype p()
{
    if
    :: x == 0 -> x = 1
    :: x == 1 -> x = 2
    od
}
