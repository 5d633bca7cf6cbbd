// about: []<>p holds: the counter always comes round to 0 again.
// expect: holds
// liveness: yes
// states-noclaim: 8
// errors: none
byte x;

active proctype p()
{
    do
    :: x < 3 -> x++
    :: x == 3 -> x = 0
    od
}

ltl comes_round { [] <> (x == 0) }
