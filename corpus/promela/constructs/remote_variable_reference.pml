// about: P[i]:v in a claim reads a local variable of another process.
// expect: violated claim-completed
// states: 137
// errors: claim-completed
byte x;

active [2] proctype counter()
{
    byte mine;
    do
    :: mine < 3 -> mine++; x++
    :: mine == 3 -> break
    od
}

never {
    do
    :: counter[0]:mine == 3 && counter[1]:mine == 2 -> break
    :: else
    od
}
