// about: run passes values by position; arguments are cut to the type of the parameter.
// expect: holds
// states: 25
// errors: none
byte sum;

proctype adder(byte small; short a, b; bool negate)
{
    assert(small == 44);
    if
    :: negate -> sum = sum - (a + b)
    :: else -> sum = sum + a + b
    fi
}

init {
    atomic {
        run adder(300, 20, 5, false);
        run adder(44, -3, 8, 3)
    }
    _nr_pr == 1;
    assert(sum == 20)
}
