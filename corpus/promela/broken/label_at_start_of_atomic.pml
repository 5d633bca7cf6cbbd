// about: Spin wants the label before the atomic, not as the first thing inside it.
// expect: refused
// mistake: 10:1 the label belongs before `atomic`
byte x;

active proctype p()
{
    goto inside;
    atomic {
inside:
        x = 1;
        x = 2
    }
}
