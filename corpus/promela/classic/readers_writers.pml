// about: Many readers or one writer; the counter of readers is guarded by a lock.
// expect: holds
// states: 248
// errors: none
#define READERS 3
byte readers, reading, writing;
bool room_taken;

active [READERS] proctype reader()
{
    do
    :: atomic {
            if
            :: readers == 0 -> !room_taken; room_taken = true
            :: readers > 0 -> skip
            fi;
            readers++
        };
        reading++;
        assert(writing == 0);
        reading--;
        atomic {
            readers--;
            if
            :: readers == 0 -> room_taken = false
            :: readers > 0 -> skip
            fi
        }
    od
}

active proctype writer()
{
    do
    :: atomic { !room_taken -> room_taken = true };
        writing++;
        assert(writing == 1 && reading == 0);
        writing--;
        room_taken = false
    od
}
