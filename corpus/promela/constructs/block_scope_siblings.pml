// about: A name declared in one block is gone after it, so a sister block may use it again for another type.
// about: (Spin refuses to hide a name that is still visible; see broken/variable_shadows_global.pml.)
// expect: holds
// states: 157
// errors: none
byte total;

active [2] proctype main()
{
    byte outer = 2;
    {
        byte v = 3;
        v++;
        assert(v == 4);
        total = total + outer
    }
    {
        short v = -1;
        assert(v < 0);
        v = v + outer;
        assert(v == 1)
    }
    {
        bool v;
        assert(!v)
    }
    assert(total >= outer)
}
