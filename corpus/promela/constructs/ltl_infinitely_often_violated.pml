// about: With a way to idle, the counter can stay away from 0 for ever.
// expect: violated acceptance-cycle
// liveness: yes
// states-noclaim: 9
// errors: none
byte x;

active proctype p()
{
    do
    :: x < 3 -> x++
    :: x == 3 -> x = 0
    :: x == 2 -> skip
    od
}

ltl comes_round { [] <> (x == 0) }
