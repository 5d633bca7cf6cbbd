// about: A label of a process that is not of the named type is never reached. (Spin compares control states of different types by number.)
// expect: violated claim-completed
// states-noclaim: 13
// errors: none
active proctype Q()
{
    skip;
    here:
    skip;
    skip
}

active proctype P()
{
    skip
}

ltl never_there { [] (Q[1]@here) }
