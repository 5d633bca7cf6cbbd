// about: `len` is a word of the language.
// expect: refused
// mistake: 4:6 `len` is a reserved word
byte len;

active proctype p()
{
    len = 1
}
