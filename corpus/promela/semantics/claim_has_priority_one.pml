// about: in a claim `_priority` is the claim's own, which is 1, whatever the priorities of the processes.
// expect: violated claim-completed
// states: 2
// errors: claim-completed
active proctype P() priority 5
{
    skip
}

never {
    _priority == 1
}
