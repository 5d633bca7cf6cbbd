// about: A variable that was never declared: a slip of the pen for count.
// expect: refused
// mistake: 9:5 `cuont` is not declared
byte count;

active proctype p()
{
    count = 1;
    cuont = 2;
    assert(count == 2)
}
