// about: A label of another process without a number is that of its oldest instance.
// expect: holds
// states: 14
// errors: none
active [2] proctype Q()
{
    do
    :: _pid == 1 -> L: break
    :: _pid == 0 -> break
    od;
end: false
}
active proctype P()
{
end:
    do
    :: Q@L -> assert(false)
    :: Q[1]@L -> break
    od
}
