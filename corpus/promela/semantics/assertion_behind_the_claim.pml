// about: The claim is stuck once `a` is 1, so the assertion behind that step is not reported, as in Spin.
// expect: holds
// options: --ltl p
// liveness: yes
// states-noclaim: 4
// errors: assertion
byte a;

active proctype P()
{
    byte x;
    a = 1;
    assert(x == 1)
}

ltl p { <> (a == 1) }
