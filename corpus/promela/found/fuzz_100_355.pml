// about: found by differential fuzzing (seed 100, program 355): transitions differ
// expect: holds
// states: 2
// errors: none
chan q5 = [0] of { byte };

active proctype P1()
{
    q5?_
}

init
{
    do
    ::
        q5!0
    ::
        else
    od
}
