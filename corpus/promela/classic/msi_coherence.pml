// about: Two caches and a bus with the MSI protocol: never two modified copies, and a shared copy is current.
// expect: holds
// states: 118
// errors: none
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
            :: line[other] == modified -> memory = copy[other]; line[other] = shared
            :: line[other] != modified -> skip
            fi;
            line[_pid] = shared;
            copy[_pid] = memory
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
    :: line[_pid] != invalid -> assert(copy[_pid] == latest || line[_pid] == invalid)
    od
}

active proctype monitor()
{
    do
    :: assert(!(line[0] == modified && line[1] != invalid) && !(line[1] == modified && line[0] != invalid))
    od
}
