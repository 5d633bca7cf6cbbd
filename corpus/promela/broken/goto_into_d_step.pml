// about: One cannot jump into a d_step.
// expect: refused
// mistake: 8:10 a jump into a d_step
byte x;

active proctype p()
{
    goto inside;
    d_step {
        x = 1;
inside:
        x = 2
    }
}
