// about: Choices inside an atomic sequence are all explored, unlike in a d_step.
// expect: violated assertion
// states: 7
// errors: assertion
byte x;

active proctype p()
{
    atomic {
        if
        :: x = 1
        :: x = 2
        fi;
        x = x * 10
    }
    assert(x == 10)
}
