// about: `unless` inside a d_step is ignored, but its main part is no block of its own: its first statement is a guard.
// expect: holds
// states: 3
// errors: none
byte x;

active proctype P()
{
    d_step {
        if
        :: { skip; x = 1 } unless { skip }
        :: x > 0
        fi
    }
}
