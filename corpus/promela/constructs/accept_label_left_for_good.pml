// about: An accept state that is passed only finitely often gives no acceptance cycle.
// expect: holds
// options: --acceptance
// states: 10
// errors: none
byte n;

active proctype p()
{
accept_start:
    n++;
    if
    :: n < 3 -> goto accept_start
    :: n == 3 -> skip
    fi;
    do
    :: n = 4
    :: n = 5
    od
}
