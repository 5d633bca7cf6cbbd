// about: A loop without its od.
// expect: refused
// mistake: 11:1 `od` is expected
byte x;

active proctype p()
{
    do
    :: x < 3 -> x++
    :: x == 3 -> break
}
