// about: A value in a message is cut to the type of the field, and then to the type of the variable.
// expect: holds
// states: 8
// errors: none
chan q = [3] of { bit, byte, short };

active proctype p()
{
    int a, b, c;
    byte small;
    q!3, 300, 70000;
    q?a, b, c;
    assert(a == 1 && b == 44 && c == 4464);
    q!0, 0, -1;
    q?a, b, small;
    assert(small == 255)
}
