// about: assert needs something to assert.
// expect: refused
// mistake: 6:12 an expression is expected
active proctype p()
{
    assert()
}
