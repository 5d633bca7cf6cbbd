// about: The same formula on a counter that goes one too far. (Spin turns the bad prefix into an assertion in the claim.)
// expect: violated claim-completed
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

ltl small { [] (x < 3) }
