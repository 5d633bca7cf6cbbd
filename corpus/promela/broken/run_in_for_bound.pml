// about: The bounds of a loop are evaluated in every round and must not start processes.
// expect: refused
// mistake: 11:19 run in the bounds of a for
byte x;
proctype Q()
{
    x++
}
active proctype P()
{
    for (x : 1 .. run Q()) {
        skip
    }
}
