// about: A ticket lock for N users, numbers modulo 8; each user waits a little in the critical part.
// about: Scale with N (at most 8).
// expect: holds
// states: 547968
// errors: none
#define N 7
unsigned next_ticket : 3;
unsigned now_serving : 3;
byte inside;

active [N] proctype user()
{
    unsigned mine : 3;
    do
    :: d_step { mine = next_ticket; next_ticket++ };
        now_serving == mine;
        inside++;
        assert(inside == 1);
        inside--;
        d_step { mine = 0; now_serving++ }
    od
}
