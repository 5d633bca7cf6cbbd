// about: Six processes each add one and take it back: all six can be between their two steps at once, so
// about: the assertion in the claim fails. (large/counter_ten_processes.pml is the same with ten.)
// expect: violated assertion
// states: 1093
// errors: assertion
byte count;

active [6] proctype p()
{
    count++;
    count--
}

never {
    do
    :: assert(count != 6)
    od
}
