// about: A counting semaphore that lets two of four processes in.
// expect: holds
// states: 113
// errors: none
#define N     4
#define SLOTS 2
byte free = SLOTS, inside;

inline P() { atomic { free > 0 -> free-- } }
inline V() { free++ }

active [N] proctype user()
{
    do
    :: P();
        inside++;
        assert(inside <= SLOTS);
        inside--;
        V()
    od
}
