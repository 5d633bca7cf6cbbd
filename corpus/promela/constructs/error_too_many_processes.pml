// about: At most 255 processes can be alive; one that starts more and more fails at last.
// expect: violated runtime-error
// states: n/a pan stops at the run-time error
// errors: runtime-error
byte n;

active proctype spawner()
{
    do
    :: run sleeper()
    od
}

proctype sleeper()
{
    false
}
