// about: No state is stored inside of an atomic sequence, so an acceptance label there marks nothing.
// expect: refused
// mistake: 14:9 acceptance label inside of an atomic sequence
byte x;
active proctype P()
{
    do
    :: x = 1 - x
    od
}
never {
    do
    :: atomic { x == 1;
        accept_here: true }
    :: true
    od
}
