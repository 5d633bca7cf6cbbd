// about: Once the body has come to its end, its escape is gone.
// expect: holds
// states: 6
// errors: none
byte x, escaped;

active proctype p()
{
    {
        skip
    } unless {
        x == 1 -> escaped = 1
    };
    x = 1;
    x = 2;
    assert(escaped == 0 && x == 2)
}
