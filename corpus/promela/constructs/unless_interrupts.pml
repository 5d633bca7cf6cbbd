// about: The body of unless goes on until the first step of the escape can be taken; then it is left for good.
// expect: holds
// states: 137
// errors: none
bool stop;
byte n;

active proctype worker()
{
    {
        do
        :: n < 10 -> n++
        :: n >= 10 -> n = 0
        od
    } unless {
        stop -> assert(stop)
    };
    n = 100;
    assert(n == 100 && stop)
}

active proctype stopper()
{
    n > 3;
    stop = true
}
