// about: A claim only watches; it may not change anything. (Spin warns.)
// expect: refused
// mistake: 13:18 a claim may not change a variable
byte x;

active proctype p()
{
    x = 1
}

never {
    do
    :: x == 1 -> x = 2
    :: else
    od
}
