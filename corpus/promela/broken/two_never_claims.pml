// about: Two claims without names: it is not clear which one is meant. (Spin takes the first.)
// expect: refused
// mistake: 15:1 a second claim without a name
byte x;

active proctype p()
{
    x = 1
}

never {
    x == 2
}

never {
    x == 3
}
