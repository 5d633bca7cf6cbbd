// about: Under weak fairness the second process cannot be left out for ever, so x does become 1.
// expect: holds
// options: --fair
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
