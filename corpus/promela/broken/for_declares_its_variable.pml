// about: A for loop cannot declare its variable.
// expect: refused
// mistake: 5:13 a declaration inside of for (...)
byte x;
init { for (int i = 0; i < 3; i++) { x = x + i } }
