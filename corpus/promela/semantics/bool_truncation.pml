// about: Storing in a bool or bit keeps the lowest bit, but a condition asks for not zero: 2 is true, stored it is false.
// expect: holds
// states: 12
// errors: none
bool flag;
bit b;
byte two = 2;

active proctype p()
{
    two;
    assert(two);
    flag = two;
    assert(!flag);
    flag = !two;
    assert(!flag);
    flag = !(!two);
    assert(flag);
    b = two + 1;
    assert(b == 1)
}
