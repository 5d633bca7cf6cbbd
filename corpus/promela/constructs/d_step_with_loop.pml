// about: A d_step may hold choices and loops, as long as they are deterministic and do not block.
// expect: holds
// states: 13
// errors: none
byte data[4] = { 4, 2, 9, 1 };
byte largest;

active [2] proctype find()
{
    byte i;
    d_step {
        i = 0;
        do
        :: i < 4 ->
            if
            :: data[i] > largest -> largest = data[i]
            :: else -> skip
            fi;
            i++
        :: else -> break
        od;
        i = 0
    }
    assert(largest == 9)
}
