// about: The same local variable twice in one body.
// expect: refused
// mistake: 8:9 `i` is declared already
active proctype p()
{
    byte i;
    byte j;
    int i;
    i = j
}
