// about: At most 255 processes can be alive; one that starts more and more fails at last.
// expect: violated runtime-error
// states: 255
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
