// about: Without a progress label in the idle branch, idling for ever is a non-progress cycle.
// expect: violated non-progress-cycle
// options: --non-progress
// states: 13
// errors: none
byte work = 3;

active proctype p()
{
    do
    :: work > 0 ->
progress:
        work--
    :: true -> skip
    :: work == 0 -> break
    od
}
