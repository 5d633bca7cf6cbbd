// about: A variable of a block is used after the block.
// expect: refused
// mistake: 12:12 `z` is not declared here
byte x;

active proctype p()
{
    atomic {
        byte z;
        z = x + 1
    }
    assert(z == 1)
}
