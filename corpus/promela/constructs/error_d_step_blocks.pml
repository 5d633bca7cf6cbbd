// about: A statement that cannot be taken inside a d_step (after its first one) is a run-time error.
// expect: violated runtime-error
// states: n/a pan stops at the run-time error
// errors: runtime-error
byte x;

active proctype p()
{
    d_step {
        x = 1;
        x == 2;
        x = 3
    }
}
