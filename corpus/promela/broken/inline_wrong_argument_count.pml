// about: An inline of two parameters is called with one.
// expect: refused
// mistake: 15:5 inline `swap` takes 2 arguments, not 1
byte a, b, t;

inline swap(x, y)
{
    t = x;
    x = y;
    y = t
}

active proctype p()
{
    swap(a)
}
