// about: A cycle through an accept label is found by the acceptance search.
// expect: violated acceptance-cycle
// options: --acceptance
// states: 6
// errors: none
byte n;

active proctype p()
{
    do
    :: n < 2 -> n++
    :: n == 2 ->
accept_back:
        n = 0
    od
}
