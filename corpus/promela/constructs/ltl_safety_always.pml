// about: ltl with [] over a state formula: x stays below 3.
// expect: holds
// liveness: yes
// states-noclaim: 6
// errors: none
byte x;

active proctype p()
{
    do
    :: x < 2 -> x++
    :: x == 2 -> x = 0
    od
}

ltl small { [] (x < 3) }
