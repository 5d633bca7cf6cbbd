// about: Without fairness the spinner may run alone for ever, and x is never set.
// expect: violated acceptance-cycle
// liveness: yes
// states-noclaim: 6
// errors: none
byte x, spin;

active proctype spinner()
{
    do
    :: spin = 1 - spin
    od
}

active proctype setter()
{
    x = 1
}

ltl set { <> (x == 1) }
