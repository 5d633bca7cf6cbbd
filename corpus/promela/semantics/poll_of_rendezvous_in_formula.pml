// about: A formula that polls a rendezvous channel is a runtime error.
// expect: violated runtime-error
// states-noclaim: 5
// errors: none
typedef T { chan q = [0] of { byte } }
T box;
byte x;

active proctype A()
{
    if
    :: x = 1
    :: x = 2
    fi
}

ltl p { [] !(x == 2 && box.q?[1]) }
