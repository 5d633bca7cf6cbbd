// about: A backslash at the end of a line joins it to the next one, inside a macro body.
// expect: holds
// states: 83
// errors: none
#define TAKE(lock)  \
    atomic {        \
        lock == 0 ->\
        lock = 1    \
    }
#define GIVE(lock) \
    lock = 0

bit mutex;
byte inside;

active [3] proctype user()
{
    TAKE(mutex);
    inside++;
    assert(inside == 1);
    inside--;
    GIVE(mutex)
}
