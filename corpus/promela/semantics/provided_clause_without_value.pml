// about: A `provided` clause that divides by zero is a runtime error of its process.
// expect: violated runtime-error
// states: n/a: Spin's verifier dies of the division
// errors: runtime-error
byte x;

active proctype A() provided (6 / (3 - x) > 0)
{
    x = 1
}

active proctype B()
{
    x = 3
}
