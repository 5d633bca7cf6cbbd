// about: In a d_step a choice with several true guards is no choice: the first in the text is taken.
// expect: holds
// states: 4
// errors: none
byte x, y;

active proctype p()
{
    d_step {
        skip;
        if
        :: false -> x = 9
        :: x = 1
        :: x = 2
        fi;
        do
        :: y == 3 -> break
        :: y++
        :: y = 100
        od
    }
    assert(x == 1 && y == 3)
}
