// about: Nothing comes between the steps of an atomic sequence that does not block.
// expect: holds
// states: 40
// errors: none
byte x;

active [3] proctype p()
{
    atomic {
        x++;
        x = x * 2;
        x = x / 2;
        x--
    }
    assert(x == 0)
}
