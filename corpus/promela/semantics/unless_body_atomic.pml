// about: An atomic body is interrupted too, between any two of its steps.
// expect: violated assertion
// states: 4
// errors: assertion
byte x;

active proctype p()
{
    {
        atomic {
            x = 1;
            x = 2;
            x = 3
        }
    } unless {
        x == 2
    };
    assert(x == 3)
}
