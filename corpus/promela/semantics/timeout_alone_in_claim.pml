// about: a claim that can move only on `timeout` does not get one.
// expect: holds
// states: 2
// errors: none
active proctype P()
{
    skip;
    end: false
}

never {
    skip;
    timeout
}
