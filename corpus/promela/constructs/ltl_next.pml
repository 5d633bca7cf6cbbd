// about: X looks one step ahead: x is 0 first and 1 in the next state. (Spin must be built with -DNXT for X;
// about: the count of states is that of the model without the formula.)
// expect: holds
// liveness: yes
// states-noclaim: 2
// errors: none
byte x;

active proctype p()
{
    do
    :: x = 1 - x
    od
}

ltl alternates { (x == 0) && X (x == 1) && [] ((x == 1) -> next (x == 0)) }
