// about: A rendezvous offer alone is no step: the sender waits, and other branches may be taken.
// expect: holds
// states: 5
// errors: none
chan q = [0] of { byte };
bool gave_up;

active proctype sender()
{
    if
    :: q!1 -> assert(false)
    :: timeout -> gave_up = true
    fi;
    assert(gave_up)
}
