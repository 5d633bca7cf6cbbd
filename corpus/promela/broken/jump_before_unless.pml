// about: A jump takes no step that could be escaped from; Spin stops in front of it.
// expect: refused
// mistake: 9:11 a jump in front of unless
byte x;
init
{
    atomic {
        skip;
        { goto done } unless { x == 1 }
    };
done:
    x = 2
}
