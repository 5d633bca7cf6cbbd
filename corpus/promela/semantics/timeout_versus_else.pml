// about: else is about one choice, timeout about the whole system: with another process still able to move
// about: else is taken at once, timeout is not.
// expect: holds
// states: 30
// errors: none
byte busy = 3;
bool by_else, by_timeout;

active proctype worker()
{
    do
    :: busy > 0 -> busy--
    :: busy == 0 -> break
    od
}

active proctype impatient()
{
    if
    :: busy == 200 -> assert(false)
    :: else -> by_else = true
    fi
}

active proctype patient()
{
    if
    :: busy == 200 -> assert(false)
    :: timeout -> by_timeout = true; assert(busy == 0 && by_else)
    fi
}
