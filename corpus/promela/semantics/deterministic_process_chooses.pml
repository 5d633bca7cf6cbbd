// about: A D_proctype with two enabled statements is a runtime error.
// expect: violated runtime-error
// states: 41
// errors: runtime-error, invalid-end-state
byte x;
active D_proctype P()
{
    do
    :: x < 3 -> x++
    :: x >= 2 -> break
    od
}
active proctype Q()
{
    x < 2;
    x = 0
}
