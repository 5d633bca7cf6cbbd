// about: else looks at the guards only, not at what comes after them: the first branch is taken and then waits.
// expect: holds
// states: 9
// errors: none
byte x = 1;

active proctype p()
{
    if
    :: x == 1 ->
        x == 2;
        x = 3
    :: else -> assert(false)
    fi
}

active proctype q()
{
    timeout -> x = 2;
    x == 3
}
