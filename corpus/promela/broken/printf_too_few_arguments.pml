// about: Two formats in the text, one value. (Spin does not notice.)
// expect: refused
// mistake: 8:12 the text has 2 formats, but 1 value is given
byte x;

active proctype p()
{
    printf("%d and %d\n", x)
}
