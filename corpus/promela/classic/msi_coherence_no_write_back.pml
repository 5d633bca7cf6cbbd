// about: MSI where a read does not make the other cache write back its modified copy: an old value is read.
// expect: violated assertion
// states: 64
// errors: assertion
#define N 2
mtype = { invalid, shared, modified };
mtype line[N] = invalid;
bit copy[N], memory, latest;

#define other (1 - _pid)

active [N] proctype cache()
{
    do
    :: atomic {
            line[_pid] == invalid ->
            if
            :: line[other] == modified -> line[other] = shared
            :: line[other] != modified -> skip
            fi;
            line[_pid] = shared;
            copy[_pid] = memory;
            assert(copy[_pid] == latest)
        }
    :: atomic {
            line[_pid] != modified ->
            if
            :: line[other] == modified -> memory = copy[other]
            :: line[other] != modified -> skip
            fi;
            line[other] = invalid;
            copy[_pid] = memory;
            line[_pid] = modified
        }
    :: atomic { line[_pid] == modified -> copy[_pid] = 1 - copy[_pid]; latest = copy[_pid] }
    :: atomic { line[_pid] == modified -> memory = copy[_pid]; line[_pid] = invalid }
    :: atomic { line[_pid] == shared -> line[_pid] = invalid }
    od
}
