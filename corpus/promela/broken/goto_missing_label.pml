// about: A jump to a label that is not there.
// expect: refused
// mistake: 10:10 no label `agian` in this process
byte x;

active proctype p()
{
again:
    x++;
    goto agian
}
