// about: An escape also interrupts a body that stands in an atomic sequence; the atomic part goes on after it.
// expect: holds
// states: 7
// errors: none
byte fuel = 3;
byte left;

active proctype engine()
{
    atomic {
        {
            do
            :: fuel--
            od
        } unless {
            fuel == 0
        };
        left = fuel + 1;
        fuel = 7
    }
}

active proctype watcher()
{
    assert(fuel == 3 && left == 0 || fuel == 7 && left == 1)
}
