// about: Only claims and formulas can ask which processes are enabled.
// expect: refused
// mistake: 11:5 enabled outside of a claim
byte x;
active proctype P()
{
    x == 1
}
active proctype Q()
{
    enabled(0);
    x = 1
}
