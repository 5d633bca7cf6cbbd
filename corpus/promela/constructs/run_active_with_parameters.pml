// about: An active proctype may have parameters: they start at zero; run can start more with other values.
// expect: holds
// states: 52
// errors: none
byte zeros, others;

active [2] proctype p(byte v)
{
    if
    :: v == 0 -> zeros++
    :: v != 0 -> others = others + v
    fi
}

init {
    run p(7);
    zeros == 2 && others == 7;
    assert(zeros + others == 9)
}
