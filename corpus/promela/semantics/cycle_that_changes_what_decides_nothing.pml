// about: The cycle goes on changing a variable on which nothing depends.
// expect: violated non-progress-cycle
// options: --non-progress
// states: 3
// errors: none
byte x;
active proctype P()
{
progress:
    skip;
    do
    :: x = 1 - x
    od
}
