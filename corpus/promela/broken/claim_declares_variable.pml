// about: A claim has no variables of its own; Spin reports an error and verifies something else.
// expect: refused
// mistake: 10:10 declaration in a claim
byte x;
active proctype P()
{
    x = 1
}
never {
    byte z;
    do
    :: z == 3 -> break
    :: else -> z++
    od
}
