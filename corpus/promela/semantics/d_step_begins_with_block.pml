// about: a d_step that begins with a choice starts only if a guard allows it; a guard inside a block does not count.
// expect: violated invalid-end-state
// states: 1
// errors: invalid-end-state
byte x;

active proctype P()
{
    d_step {
        if
        :: { skip; x = 1 }
        :: x > 0
        fi
    }
}
