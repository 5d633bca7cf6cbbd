// about: inline replaces the parameters by the text of the arguments, so it can assign to them.
// expect: holds
// states: 14
// errors: none
byte a = 3, b = 8;

inline swap(x, y)
{
    tmp = x;
    x = y;
    y = tmp
}

inline swap_twice_then(x, y, value)
{
    swap(x, y);
    swap(x, y);
    x = value
}

active proctype p()
{
    byte tmp;
    swap(a, b);
    assert(a == 8 && b == 3);
    swap_twice_then(a, b, b + 2 * 10);
    assert(a == 23 && b == 3)
}
