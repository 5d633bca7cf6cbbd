// about: An initialiser may name variables: those declared before have their values already.
// expect: holds
// states: 7
// errors: none
byte a = 3;
byte b = a + 1;

active [2] proctype p()
{
    byte c = b * 2 + _pid;
    byte d = c;
    assert(b == 4 && c == 8 + _pid && d == c)
}
