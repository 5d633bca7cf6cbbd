// about: An atomic sequence may begin with else, in the last option of a choice.
// expect: holds
// states: 10
// errors: none
byte x;
active proctype P() { do :: x < 3 -> x++ :: atomic { else -> x = 0; break } od; assert(x == 0) }
