// about: A full unsigned field reads as a positive number, and the difference of two can be negative.
// expect: holds
// states: 5
// errors: none
unsigned a : 4 = 3;
unsigned b : 4 = 15;

active proctype p()
{
    assert(b > 0 && a - b == -12);
    a = a - b;
    assert(a == 4)
}
