// about: select (i : 1 .. 4) takes any value of the range in one step.
// expect: holds
// states: 54
// errors: none
byte i, picks;

active proctype p()
{
    do
    :: picks < 3 ->
        select (i : 1 .. 4);
        assert(i >= 1 && i <= 4);
        picks++
    :: picks == 3 -> break
    od
}
