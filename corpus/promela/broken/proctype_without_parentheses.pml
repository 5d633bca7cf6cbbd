// about: The brackets after the name of a proctype may not be left out.
// expect: refused
// mistake: 6:19 `(` is expected
byte x;

active proctype p {
    x = 1
}
