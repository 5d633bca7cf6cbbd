// about: a guard inside two blocks does not count for the start of a d_step either.
// expect: violated invalid-end-state
// states: 1
// errors: invalid-end-state
byte x;

active proctype P()
{
    d_step {
        if
        :: { { skip }; x = 1 }
        :: x > 0
        fi
    }
}
