// about: Parameters of an active process are 0, fields of structures too.
// expect: violated assertion
// states: 3
// errors: assertion
typedef C { byte n = 7 }

active proctype A(C ch)
{
    assert(ch.n == 7)
}
