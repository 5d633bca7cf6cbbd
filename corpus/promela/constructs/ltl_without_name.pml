// about: A formula without a name.
// expect: holds
// liveness: yes
// states-noclaim: 3
// errors: none
bool ready;

active proctype p()
{
    ready = true
}

ltl { <> ready }
