// about: A parenthesis that closes nothing.
// expect: refused
// mistake: 5:15 there is no open parenthesis
byte x;
init { x = (1)); x = 2 }
