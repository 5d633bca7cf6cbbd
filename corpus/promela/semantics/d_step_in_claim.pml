// about: A deterministic sequence of a claim is one step of it.
// expect: violated claim-completed
// options: --ltl never_0
// states: 5
// errors: claim-completed
byte x;
active proctype P()
{
    do
    :: x < 4 -> x++
    od
}
never {
    do
    :: d_step { if :: x == 3 -> skip :: x == 1 -> skip fi; true } -> x >= 1 -> break
    :: else
    od
}
