// about: A hidden variable is assigned to another one, which a formula reads.
// expect: violated claim-completed
// hidden: read
// states-noclaim: 5
// errors: none
hidden byte h;
hidden byte g;
byte x;

active proctype A()
{
    if
    :: h = 1
    :: h = 2
    fi;
    g = h;
    x = 1
}

ltl p { [] !(x == 1 && g == 2) }
