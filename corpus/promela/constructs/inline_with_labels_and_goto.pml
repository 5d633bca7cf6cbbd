// about: A label outside an inline can be the target of a goto inside it.
// expect: holds
// states: 10
// errors: none
byte tries;

inline retry_unless(cond)
{
    if
    :: cond -> skip
    :: else -> goto again
    fi
}

active proctype p()
{
again:
    tries++;
    retry_unless(tries >= 3);
    assert(tries == 3)
}
