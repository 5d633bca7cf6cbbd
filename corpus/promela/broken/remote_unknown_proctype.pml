// about: A remote reference to a proctype that does not exist.
// expect: refused
// mistake: 12:8 no proctype `sevrer`
active proctype server()
{
busy:
    skip
}

never {
    do
    :: sevrer@busy -> break
    :: true
    od
}
