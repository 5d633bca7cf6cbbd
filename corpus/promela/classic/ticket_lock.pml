// about: A ticket lock: numbers are drawn by an atomic fetch-and-add, modulo 4; first come, first served.
// expect: holds
// states: 2612
// errors: none
#define N 3
unsigned next_ticket : 2;
unsigned now_serving : 2;
byte inside;

active [N] proctype user()
{
    unsigned mine : 2;
    do
    :: d_step { mine = next_ticket; next_ticket++ };
        now_serving == mine;
        inside++;
        assert(inside == 1);
        inside--;
        now_serving++;
        mine = 0
    od
}
