// about: A rendezvous as escape: the offer of the other process interrupts the body at any step.
// expect: holds
// states: 28
// errors: none
chan alarm = [0] of { byte };
byte n, code;

active proctype worker()
{
    {
        do
        :: n < 3 -> n++
        :: n == 3 -> n = 0
        od
    } unless {
        alarm?code
    };
    assert(code == 7)
}

active proctype guard()
{
    alarm!7
}
