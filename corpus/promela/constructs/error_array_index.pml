// about: An index past the end of an array is a run-time error.
// expect: violated runtime-error
// states: n/a pan reports the index and then reads beyond the array
// errors: runtime-error
byte a[3];

active proctype p()
{
    byte i, v;
    do
    :: i <= 3 -> v = v + a[i]; i++
    :: i > 3 -> break
    od
}
