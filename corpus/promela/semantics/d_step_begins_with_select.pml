// about: a d_step that begins with a choice starts only if a guard allows it; the assignments of select are no guards.
// expect: violated invalid-end-state
// states: 1
// errors: invalid-end-state
byte x, y;

active proctype P()
{
    d_step {
        if
        :: select (y : 0 .. 1)
        :: x > y
        fi
    }
}
