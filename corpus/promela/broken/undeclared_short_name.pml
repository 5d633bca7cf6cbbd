// about: A name of one letter is not taken for another one.
// expect: refused
// mistake: 5:15 n is not declared
byte c;
init { c = 1; n = 2; assert(c == 1) }
