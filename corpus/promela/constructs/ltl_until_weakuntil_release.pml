// about: U, W and V, and their word forms; all four hold. Try each with --ltl NAME.
// expect: holds
// options: --ltl strong
// liveness: yes
// states-noclaim: 4
// errors: none
byte phase;

active proctype p()
{
    phase = 1;
    phase = 2;
    do
    :: phase = 3
    :: phase = 2
    od
}

ltl strong { (phase < 2) U (phase == 2) }
ltl weak { (phase < 2) W (phase >= 2) }
ltl rel { (phase == 2) V (phase <= 2) }
ltl words { ((phase < 2) until (phase == 2)) && ((phase < 4) weakuntil (phase == 9)) && ((phase == 2) release (phase <= 2)) }
