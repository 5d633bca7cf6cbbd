// about: The ticket lock for three processes with a counter of one bit: two hold the same ticket.
// expect: violated assertion
// states: 3025
// errors: assertion
#define N 3
bit next_ticket, now_serving;
byte inside;

active [N] proctype user()
{
    bit mine;
    do
    :: d_step { mine = next_ticket; next_ticket++ };
        now_serving == mine;
        inside++;
        assert(inside == 1);
        inside--;
        now_serving++
    od
}
