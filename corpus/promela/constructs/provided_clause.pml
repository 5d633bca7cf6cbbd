// about: A process with a provided clause can take a step only in states where the clause is true.
// expect: holds
// states: 34
// errors: none
bool go;
byte steps;

active proctype gated() provided (go)
{
    steps++;
    assert(go);
    steps++
}

active proctype keeper()
{
    byte before;
    go = true;
    go = false;
    before = steps;
    skip;
    assert(steps == before);
    go = true;
    steps == 2
}
