// about: goto after a statement, break and labels take no step of their own: control is at the target at once.
// expect: holds
// states: 113
// errors: none
byte x;

active [2] proctype p()
{
    do
    :: x < 3 ->
        x++;
        if
        :: x == 2 -> goto out
        :: x != 2 -> skip
        fi
    :: x >= 3 -> break
    od;
    x = 9;
out:
    assert(x > 1)
}
