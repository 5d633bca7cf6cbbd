// about: A label belongs to a statement, not to a declaration.
// expect: refused
// mistake: 6:1 a label cannot stand before a declaration
active proctype p()
{
start: byte x;
    x = 1;
    goto start
}
