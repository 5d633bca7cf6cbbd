// about: A parameter is a variable of the new process; changing it changes nothing outside.
// expect: holds
// states: 8
// errors: none
byte g = 5;

proctype child(byte v)
{
    v++;
    assert(v == 6)
}

init {
    run child(g);
    (_nr_pr == 1);
    assert(g == 5)
}
