// about: pc_value(p) is the number of the control state of process p; it is the same exactly
// about: when two instances of one proctype stand at the same place.
// expect: holds
// states: 4
// errors: none
byte turn;

active [2] proctype walker()
{
    do
    :: turn == _pid -> turn = 1 - _pid
    od
}

never {
    do
    :: pc_value(0) == pc_value(1) && turn > 1 -> break
    :: else
    od
}
