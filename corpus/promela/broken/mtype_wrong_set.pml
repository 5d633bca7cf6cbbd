// about: A name of one mtype set is assigned to a variable of another.
// expect: refused
// mistake: 10:9 `apple` belongs to mtype:fruit, not mtype:size
mtype:fruit = { apple, pear };
mtype:size = { small, large };
mtype:size s;

active proctype p()
{
    s = apple
}
