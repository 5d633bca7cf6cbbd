// about: The mistake stands in the body of a macro; the place of the call is where a reader looks.
// expect: refused
// mistake: 10:5 in the expansion of `RESET`: `cuont` is not declared
#define RESET(v) v = 0; cuont = 0
byte count, x;

active proctype p()
{
    count = 1;
    RESET(x)
}
