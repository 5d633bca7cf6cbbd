// about: A progress label inside of an atomic sequence marks no state, so the cycle makes no progress.
// expect: violated non-progress-cycle
// options: --non-progress
// states: 2
// errors: none
byte x;
active proctype P()
{
    do
    :: atomic { x = 1; x == 1;
progress_here:
        x = 0; x = 2 }
    od
}
