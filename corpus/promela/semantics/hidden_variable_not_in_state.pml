// about: A hidden variable is not part of the state: two states that differ only in it are one,
// about: so the branch that comes second is not followed. With `byte` alone there would be more states.
// expect: holds
// states: 15
// errors: none
hidden byte trace_only;
byte n;

active proctype p()
{
    do
    :: n < 4 -> atomic { n++; trace_only = n }
    :: n < 4 -> atomic { n++; trace_only = 0 }
    :: n == 4 -> break
    od
}
