// about: always and eventually are [] and <>; the lazy server may put off its answer for ever.
// expect: violated acceptance-cycle
// liveness: yes
// states-noclaim: 12
// errors: none
bool asked, replied;
bit idle;

active proctype client()
{
    do
    :: !asked -> asked = true
    :: asked && replied -> atomic { asked = false; replied = false }
    od
}

active proctype server()
{
    do
    :: asked && !replied -> replied = true
    :: idle = 1 - idle
    od
}

ltl answered { always (asked implies eventually replied) }
