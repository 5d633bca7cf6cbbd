// about: `else` as the first statement of a `d_step` that is an option, as inside of `atomic`.
// expect: holds
// states: 24
// errors: none
byte x, y;

active proctype P() {
    do
    :: x < 2 -> x++
    :: d_step { else -> y = x; x = 10 }; break
    od;
    if
    :: atomic { x == 1 -> y = 9 }
    :: d_step { else -> y++ }
    fi;
    assert(x == 10 && y >= 3)
}

active proctype Q() { if :: x == 10 -> x = 10 :: atomic { else -> d_step { x = 1; y = 5 } } fi }
