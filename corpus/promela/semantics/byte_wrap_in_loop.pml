// about: A byte never reaches 256: counting on, it comes back to 0, and the loop to 256 never ends.
// expect: holds
// states: 512
// errors: none
byte n;

active proctype p()
{
    do
    :: n < 256 -> n = n + 5
    :: n >= 256 -> assert(false)
    od
}
