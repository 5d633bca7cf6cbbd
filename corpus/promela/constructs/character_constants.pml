// about: A character in single quotes is its number.
// expect: holds
// states: 7
// errors: none
byte c = 'A';

active proctype p()
{
    assert(c == 65);
    c = 'z';
    assert(c - 'a' == 25);
    c = '\n';
    assert(c == 10)
}
