// about: Expressions are worked out as 32-bit integers whatever the types of the variables; only storing cuts.
// expect: holds
// states: 12
// errors: none
byte a = 200, b = 100, c;
short s = 30000;

active proctype p()
{
    assert(a + b == 300);
    c = a + b;
    assert(c == 44);
    c = (a + b) / 2;
    assert(c == 150);
    assert(b - a == -100);
    assert(b - a < 0);
    assert(s + s == 60000);
    s = s + s;
    assert(s == -5536)
}
