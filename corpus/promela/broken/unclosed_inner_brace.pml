// about: The brace of an atomic sequence is missing; the next proctype then stands inside a body.
// expect: refused
// mistake: 12:1 a proctype cannot begin here; the brace of line 7 is not closed
byte x;

active proctype p() {
    atomic {
        x = 1;
        x = 2
}

active proctype q() {
    x == 2
}
