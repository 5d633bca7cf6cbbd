// about: short is 16 bits with a sign and wraps from 32767 to -32768.
// expect: holds
// states: 12
// errors: none
short s = 32767;

active proctype main()
{
    s++;
    assert(s == -32768);
    s--;
    assert(s == 32767);
    s = 65535;
    assert(s == -1);
    s = 40000;
    assert(s == 40000 - 65536);
    s = -70000;
    assert(s == -4464)
}
