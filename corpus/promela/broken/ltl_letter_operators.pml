// about: Always is [], not G.
// expect: refused
// mistake: 6:9 G is no operator
byte x;
init { x = 1 }
ltl p { G (x < 2) }
