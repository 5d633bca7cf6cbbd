// about: Labels belong to their process; one cannot jump to another's.
// expect: refused
// mistake: 14:10 no label `there` in this process
byte x;

active proctype p()
{
there:
    x = 1
}

active proctype q()
{
    goto there
}
