// about: A hidden structure decides in a `provided` clause whether a process may move.
// expect: violated invalid-end-state
// hidden: read
// states: 5
// errors: none
typedef T { byte x; byte y }
hidden T gate;
byte n;

active proctype A() provided (gate.x < 3)
{
    if
    :: gate.x = 1
    :: gate.x = 3
    fi;
    n = 1;
    assert(n == 1)
}
