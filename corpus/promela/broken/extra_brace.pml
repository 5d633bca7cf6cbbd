// about: A brace that closes nothing.
// expect: refused
// mistake: 5:16 there is no open brace
byte x;
init { x = 1 } }
