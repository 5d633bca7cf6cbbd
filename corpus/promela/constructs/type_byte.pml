// about: byte is 0..255 and wraps both ways.
// expect: holds
// states: 13
// errors: none
byte n = 255;

active proctype main()
{
    n++;
    assert(n == 0);
    n--;
    assert(n == 255);
    n = 256 + 7;
    assert(n == 7);
    n = -1;
    assert(n == 255);
    n = n + n;
    assert(n == 254);
    assert(n + n == 508)
}
