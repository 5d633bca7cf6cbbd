// about: assert takes any expression: zero is a failure, everything else is not.
// expect: violated assertion
// states: 19
// errors: assertion
byte n;

active proctype p()
{
    assert(true);
    assert(-1);
    assert(n + 3);
    do
    :: n < 4 -> n++; assert(n)
    :: n == 4 -> break
    od;
    assert(n - 4)
}
