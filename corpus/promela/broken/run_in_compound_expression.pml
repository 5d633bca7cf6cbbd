// about: The result of run may be tested or stored, but not be part of a larger condition.
// expect: refused
// mistake: 12:6 `run` is not allowed inside a larger expression
byte x;

proctype child()
{
    x++
}

init {
    (run child() && x == 0) -> skip
}
