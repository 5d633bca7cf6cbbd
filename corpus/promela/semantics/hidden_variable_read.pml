// about: A hidden variable that is read is part of the state. Spin takes the two states behind the choice for one and misses the violation.
// expect: violated assertion
// hidden: read
// states: 5
// errors: none
hidden byte h;
byte x;

active proctype A()
{
    if
    :: h = 1
    :: h = 2
    fi;
    x = 1;
    assert(x == 1 && h != 2)
}
