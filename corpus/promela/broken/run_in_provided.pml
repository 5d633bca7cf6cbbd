// about: A provided clause is evaluated in every state and must not start processes.
// expect: refused
// mistake: 9:31 run in a provided clause
byte x;
proctype Q()
{
    x++
}
active proctype P() provided (run Q())
{
    x = 2
}
