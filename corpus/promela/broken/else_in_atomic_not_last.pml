// about: Spin takes else inside of atomic beside the options that follow it.
// expect: refused
// mistake: 5:38 else in atomic is not in the last option
byte x;
active proctype P() { if :: atomic { else -> x = 5 } :: x == 0 -> x = 1 fi; assert(x == 1) }
