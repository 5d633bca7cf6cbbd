// about: The index of a for loop is an ordinary variable: a global one can be changed by another process.
// expect: violated assertion
// states: 169
// errors: assertion
byte i, rounds;

active proctype looper()
{
    for (i : 1 .. 3) {
        rounds++
    }
    assert(rounds == 3)
}

active proctype meddler()
{
    i = 0
}
