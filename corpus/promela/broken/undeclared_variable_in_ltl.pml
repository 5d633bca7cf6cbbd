// about: The formula names a variable that does not exist.
// expect: refused
// mistake: 11:21 `redy` is not declared
bool ready;

active proctype p()
{
    ready = true
}

ltl gets_ready { <> redy }
