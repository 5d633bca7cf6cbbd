// about: Two lights at a crossing with a controller over rendezvous; never both green, each green again and again.
// expect: holds
// liveness: yes
// states-noclaim: 8
// errors: none
mtype = { red, green };
mtype light[2] = red;
chan turn[2] = [0] of { bit };

active [2] proctype lamp()
{
    do
    :: turn[_pid]?1 ->
        light[_pid] = green;
        light[_pid] = red;
        turn[_pid]?0
    od
}

active proctype controller()
{
    do
    :: turn[0]!1; turn[0]!0; turn[1]!1; turn[1]!0
    od
}

ltl safe_and_live { [] !(light[0] == green && light[1] == green) && [] <> (light[0] == green) && [] <> (light[1] == green) }
