// about: The bounds of a selection are evaluated more than once and must not start processes.
// expect: refused
// mistake: 11:22 run in the bounds of a select
byte x;
proctype Q()
{
    x++
}
active proctype P()
{
    select (x : 0 .. run Q())
}
