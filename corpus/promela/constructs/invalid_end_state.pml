// about: A process stuck where no end label stands is an invalid end state.
// expect: violated invalid-end-state
// states: 1
// errors: invalid-end-state
chan q = [0] of { byte };

active proctype waits_for_ever()
{
    byte v;
    q?v
}
