// about: A remote reference to a local variable that does not exist.
// expect: refused
// mistake: 12:18 proctype `server` has no variable `m`
active proctype server()
{
    byte n;
    n = 1
}

never {
    do
    :: server[0]:m == 1 -> break
    :: true
    od
}
