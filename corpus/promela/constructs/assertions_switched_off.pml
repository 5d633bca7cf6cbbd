// about: A false assertion does nothing when assertions are switched off; the end states are still checked.
// expect: holds
// options: --no-assert
// states: 3
// errors: assertion
active proctype p()
{
    assert(false)
}
