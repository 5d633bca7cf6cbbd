// about: A claim that writes a variable which a process waits for: whether the process is enabled
// about: differs from one move of the claim to the other.
// expect: holds
// options: --ltl never_0
// states: 34
// errors: none
byte gate, done;

active proctype walker()
{
    gate == 1;
    done = 1;
    gate == 0;
    done = 2
}

active proctype other()
{
    done == 1;
    done = 3
}

never
{
    do
    :: gate = 0
    :: gate = 1
    od
}
