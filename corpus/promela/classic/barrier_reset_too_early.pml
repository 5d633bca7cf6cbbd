// about: A barrier with a plain counter that the last one sets back: who is slow to leave never sees it full.
// expect: violated invalid-end-state
// states: 103
// errors: invalid-end-state
#define N 2
byte waiting;

active [N] proctype party()
{
    byte r;
    do
    :: r < 2 ->
        waiting++;
        waiting == N;
        if
        :: _pid == 0 -> waiting = 0
        :: _pid != 0 -> skip
        fi;
        r++
    :: r == 2 -> break
    od
}
