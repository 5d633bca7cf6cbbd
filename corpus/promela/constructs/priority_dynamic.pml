// about: set_priority and get_priority change and read a priority; _priority is the own one.
// expect: holds
// states: 10
// errors: none
byte log;

active proctype boss() priority 10
{
    assert(_priority == 10);
    assert(get_priority(1) == 2);
    set_priority(0, 1);
    assert(log == 1);
    log = 2
}

active proctype worker() priority 2
{
    assert(get_priority(_pid) == 2);
    log = 1
}
