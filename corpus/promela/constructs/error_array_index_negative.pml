// about: A negative index is a run-time error as well.
// expect: violated runtime-error
// states: n/a pan reports the index and then reads before the array
// errors: runtime-error
byte a[3], v;

active proctype p()
{
    short i = 1;
    do
    :: i >= -1 -> v = a[i]; i--
    :: i < -1 -> break
    od
}
