// about: The worst case for bounded contexts: ten processes each add one and take it back. All ten can be
// about: between their two steps at once, so the claim's assertion fails, after ten steps at least.
// expect: violated assertion
// states: 88573
// errors: assertion
#define N 10
byte count;

active [N] proctype p()
{
    count++;
    count--
}

never {
    do
    :: assert(count != N)
    od
}
