// about: A barrier that can be used again and again: the sense flips each time the last one comes.
// expect: holds
// states: 893
// errors: none
#define N 3
byte waiting;
bit sense;
byte round[N];

active [N] proctype party()
{
    bit my_sense;
    byte r;
    do
    :: round[_pid] < 3 ->
        round[_pid]++;
        my_sense = 1 - my_sense;
        d_step {
            waiting++;
            if
            :: waiting == N -> waiting = 0; sense = my_sense
            :: else -> skip
            fi
        };
        sense == my_sense;
        assert(round[0] >= round[_pid] && round[1] >= round[_pid] && round[2] >= round[_pid])
    :: round[_pid] == 3 -> break
    od
}
