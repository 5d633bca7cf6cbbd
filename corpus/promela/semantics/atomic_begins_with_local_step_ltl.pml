// about: A formula sees the state in front of an atomic sequence that begins with a process's own step.
// expect: violated acceptance-cycle
// liveness: yes
// states-noclaim: 13
// errors: none
byte a, b;

active proctype Q()
{
    byte i;
    a = 1;
    atomic { i = 1; b = a }
}

active proctype P()
{
    a == 1;
    a = 2
}

ltl copied { [] (a == 1 -> <> (b == 1)) }
