// about: While the escape can be taken the body cannot: after x becomes 1 the body makes no further step.
// expect: holds
// states: 13
// errors: none
byte x, body_steps, escaped;

active proctype p()
{
    {
        do
        :: x == 0 -> skip
        :: x == 1 -> body_steps++
        od
    } unless {
        x == 1 -> escaped = 1
    };
    assert(body_steps == 0 && escaped == 1)
}

active proctype q()
{
    x = 1
}
