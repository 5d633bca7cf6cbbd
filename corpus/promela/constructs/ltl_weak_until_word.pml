// about: weakuntil does not ask that its second part ever comes true; until does.
// expect: violated acceptance-cycle
// options: --ltl strong
// liveness: yes
// states-noclaim: 1
// errors: none
bool go;

active proctype p()
{
    do
    :: go = false
    od
}

ltl weak { !go weakuntil go }
ltl strong { !go until go }
