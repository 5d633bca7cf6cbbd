// about: The cycle needs another process in front of an atomic sequence that begins with a process's own step.
// expect: violated acceptance-cycle
// options: --acceptance
// states: 8
// errors: none
byte a;

active proctype Q()
{
    do
    :: a = 1;
        atomic {
            skip;
            if
            :: a == 2
            :: else -> break
            fi
        };
accept_again:
        a = 0
    od
}

active proctype P()
{
end:
    do
    :: a == 1 -> a = 2
    od
}
