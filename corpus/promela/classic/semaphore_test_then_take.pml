// about: A semaphore that is tested in one step and taken in another.
// expect: violated assertion
// states: 36
// errors: assertion
#define SLOTS 1
byte free = SLOTS, inside;

active [2] proctype user()
{
    do
    :: free > 0;
        free--;
        inside++;
        assert(inside <= SLOTS);
        inside--;
        free++
    od
}
