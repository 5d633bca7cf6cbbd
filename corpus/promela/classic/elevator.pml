// about: A lift that goes up and down all the time; under weak fairness every call is answered.
// expect: holds
// options: --fair
// liveness: yes
// states-noclaim: 144
// errors: none
#define FLOORS 3
bool called[FLOORS];
byte floor;
bit up = 1;

active proctype lift()
{
    do
    :: called[floor] = false;
        if
        :: up && floor < FLOORS - 1 -> floor++
        :: up && floor == FLOORS - 1 -> up = 0
        :: !up && floor > 0 -> floor--
        :: !up && floor == 0 -> up = 1
        fi
    od
}

active proctype passenger()
{
    do
    :: !called[0] -> called[0] = true
    :: !called[2] -> called[2] = true
    od
}

ltl served { [] (called[0] -> <> !called[0]) && [] (called[2] -> <> !called[2]) }
