// about: A safety claim that can never reach its end.
// expect: holds
// states: 4
// errors: none
byte x, y;

active proctype p()
{
    do
    :: atomic { x < 3 -> x++; y = x }
    :: atomic { x == 3 -> x = 0; y = 0 }
    od
}

never {
    do
    :: x != y -> break
    :: x == y
    od
}
