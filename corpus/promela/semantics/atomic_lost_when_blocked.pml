// about: An atomic sequence that blocks in the middle loses its protection: others run, and it goes on
// about: atomically when it can again. The watcher sees 1 but never 3.
// expect: holds
// states: 10
// errors: none
byte x;
bool go;

active proctype p()
{
    atomic {
        x = 1;
        go;
        x = 3;
        x = 4
    }
}

active proctype watcher()
{
    do
    :: x == 1 -> go = true
    :: x == 3 -> assert(false)
    :: x == 4 -> break
    od
}
