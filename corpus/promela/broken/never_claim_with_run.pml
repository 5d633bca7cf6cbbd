// about: A claim may not start a process. (Spin does not notice.)
// expect: refused
// mistake: 17:8 a claim may not start a process
byte x;

proctype child()
{
    x = 1
}

init {
    run child()
}

never {
    do
    :: run child() -> break
    :: true
    od
}
