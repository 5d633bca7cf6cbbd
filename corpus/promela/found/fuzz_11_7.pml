// about: found by differential fuzzing (seed 11, program 7): states differ
// expect: holds
// states: 12
// errors: none
chan q5 = [0] of { bool };

active proctype P0()
{
    skip;
    accept0:
    {
        do
        ::
            q5?_
        od
    } unless {
        skip
    }
}

active proctype P1()
{
    {
        skip
    } unless {
        q5!0
    }
}
