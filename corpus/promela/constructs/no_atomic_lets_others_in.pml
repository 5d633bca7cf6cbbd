// about: The same steps without atomic can be interrupted, and the sum goes wrong.
// expect: violated assertion
// states: 129
// errors: assertion
byte x;

active [2] proctype p()
{
    byte t;
    t = x;
    x = t + 1;
    _nr_pr <= 2;
    if
    :: _pid == 0 -> x >= 1; assert(x == 1 || x == 2)
    :: _pid == 1 -> (_nr_pr == 1 || _nr_pr == 2) -> assert(x != 1)
    fi
}
