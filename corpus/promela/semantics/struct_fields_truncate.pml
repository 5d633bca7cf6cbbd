// about: Fields of a structure and elements of arrays are cut to their own type, like variables.
// expect: holds
// states: 9
// errors: none
typedef Cell { bit one; byte eight; short sixteen; unsigned three : 3 }
Cell c[2];
byte row[3];

active proctype p()
{
    c[1].one = 6;
    c[1].eight = 511;
    c[1].sixteen = 98304;
    c[1].three = 13;
    assert(c[1].one == 0 && c[1].eight == 255 && c[1].sixteen == -32768 && c[1].three == 5);
    row[2] = 258;
    assert(row[2] == 2 && row[1] == 0)
}
