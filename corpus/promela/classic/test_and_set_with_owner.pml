// about: Mutual exclusion by an atomic swap; the lock remembers its owner, and only the owner frees it.
// expect: holds
// states: 737
// errors: none
#define FREE 255
byte owner = FREE;

active [3] proctype user()
{
    byte old;
    do
    :: d_step {
            old = owner;
            if
            :: owner == FREE -> owner = _pid
            :: else -> skip
            fi
        };
        if
        :: old == FREE -> assert(owner == _pid); owner = FREE
        :: old != FREE -> skip
        fi;
        old = 0
    od
}
