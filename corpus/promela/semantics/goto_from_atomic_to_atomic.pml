// about: A jump from one atomic sequence into the middle of another keeps control all the way.
// expect: holds
// states: 7
// errors: none
byte x;

active proctype p()
{
    atomic {
        x = 1;
        goto second
    }
    x = 50;
    atomic {
        x = 60;
second:
        x++;
        x = 0
    }
}

active proctype q()
{
    do
    :: x != 0 -> assert(false)
    :: x == 0 -> break
    od
}
