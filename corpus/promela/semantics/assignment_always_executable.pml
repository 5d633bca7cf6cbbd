// about: An assignment, skip, assert and printf never block; a condition does.
// expect: violated invalid-end-state
// states: 5
// errors: invalid-end-state
byte x = 1;

active proctype p()
{
    x = 0;
    skip;
    printf("x is %d\n", x);
    assert(x == 0);
    x
}
