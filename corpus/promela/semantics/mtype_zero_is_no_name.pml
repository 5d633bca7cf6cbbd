// about: An mtype variable that was never set is 0 and equals none of the names.
// expect: holds
// states: 7
// errors: none
mtype = { one, two };
mtype m;

active proctype p()
{
    assert(m != one && m != two && m == 0);
    m = one;
    assert(m == 2);
    m = m - 1;
    assert(m == two)
}
