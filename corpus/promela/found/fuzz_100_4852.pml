// about: found by differential fuzzing (seed 100, program 4852): crash
// expect: violated claim-completed
// states: 5
// errors: claim-completed

active proctype P0()
{
    timeout
}

never {
    do
    ::
        enabled(0) ->
        break
    ::
        skip
    od
}
