// about: A formula may use macros and remote label references.
// expect: holds
// liveness: yes
// states-noclaim: 2
// errors: none
#define at_door (door@critical)
byte n;

active proctype door()
{
    do
    :: n++;
critical:
        n--
    od
}

ltl never_two { [] (at_door -> n == 1) && [] <> (!door@critical) }
