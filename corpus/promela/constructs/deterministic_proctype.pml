// about: D_proctype says that the process has never a choice; the meaning is that of proctype.
// expect: holds
// states: 57
// errors: none
byte x;

active [2] D_proctype p()
{
    do
    :: x < 6 -> x++
    :: x >= 6 -> break
    od;
    assert(x >= 6 && x <= 7)
}
