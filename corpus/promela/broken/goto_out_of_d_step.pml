// about: One cannot jump out of a d_step.
// expect: refused
// mistake: 10:14 a jump out of a d_step
byte x;

active proctype p()
{
    d_step {
        x = 1;
        goto outside
    }
outside:
    x = 2
}
