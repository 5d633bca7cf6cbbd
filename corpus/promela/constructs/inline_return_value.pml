// about: An inline may end with return, and its call stand on the right of an assignment.
// expect: holds
// states: 5
// errors: none
byte x = 3, y;

inline squared(n)
{
    assert(n < 16);
    return n * n
}

active proctype p()
{
    y = squared(x);
    assert(y == 9)
}
