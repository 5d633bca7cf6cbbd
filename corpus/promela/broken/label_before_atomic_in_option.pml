// about: A label that stands first in an option, in front of atomic, would mark nothing.
// expect: refused
// mistake: 5:45 label in front of atomic in an option
byte x;
active proctype P() { do :: x < 2 -> x++ :: wait_w: atomic { x == 2; break } od }
ltl { [] !(P@wait_w) }
