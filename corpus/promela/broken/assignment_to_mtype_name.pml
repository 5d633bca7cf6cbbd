// about: A name of an mtype is a constant.
// expect: refused
// mistake: 8:5 `red` is a constant
mtype = { red, green };

active proctype p()
{
    red = 2
}
