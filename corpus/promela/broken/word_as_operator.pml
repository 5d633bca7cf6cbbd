// about: And is &&, not and.
// expect: refused
// mistake: 5:21 and is no operator
byte x, y;
init { if :: x == 0 and y == 0 -> x = 1 :: else fi }
