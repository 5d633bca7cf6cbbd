// about: an assertion that fails inside an atomic sequence that never ends is a violation.
// expect: violated assertion
// states: 1
// errors: assertion
active proctype P()
{
    atomic {
        do
        :: assert(0)
        od
    }
}
