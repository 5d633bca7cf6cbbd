// about: Division by zero is a run-time error.
// expect: violated runtime-error
// states: n/a pan stops at the run-time error
// errors: runtime-error
int n = 10, d = 2;

active proctype p()
{
    do
    :: d >= 0 ->
        n = n / d;
        d--
    :: d < 0 -> break
    od
}
