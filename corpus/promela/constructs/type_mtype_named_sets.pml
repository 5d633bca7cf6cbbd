// about: mtype:NAME declares a set of its own; every set is numbered from 1, last name first.
// expect: holds
// states: 12
// errors: none
mtype:fruit = { apple, pear, plum };
mtype:size = { small, large };

mtype:fruit f = apple;
mtype:size s;
chan crate = [2] of { mtype:fruit, mtype:size };

active proctype packer()
{
    assert(apple == 3 && plum == 1 && small == 2 && large == 1);
    crate!apple, small;
    crate!plum, large
}

active proctype unpacker()
{
    crate?f, s;
    assert(f == apple && s == small);
    crate?f, s;
    assert(f == plum && s == large)
}
