// about: A remote reference to a label that does not exist.
// expect: refused
// mistake: 12:18 no label `bsuy` in proctype `server`
active proctype server()
{
busy:
    skip
}

never {
    do
    :: server[0]@bsuy -> break
    :: true
    od
}
