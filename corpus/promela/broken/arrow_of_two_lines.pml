// about: The arrow is ->, not =>.
// expect: refused
// mistake: 5:38 => is no operator
byte x;
init { if :: x == 1 -> x = 2 :: else => x = 3 fi }
