// about: -> and <-> and their words implies and equivalent.
// expect: holds
// options: --ltl linked
// liveness: yes
// states-noclaim: 3
// errors: none
bool request, busy, grant;

active proctype arbiter()
{
    do
    :: atomic { !request -> request = true }
    :: atomic { request && !grant -> grant = true; busy = true }
    :: atomic { grant -> grant = false; busy = false; request = false }
    od
}

ltl linked { [] (grant <-> busy) }
ltl linked_in_words { always (grant equivalent busy) }
ltl causal { [] (grant -> request) }
ltl causal_in_words { always (grant implies request) }
