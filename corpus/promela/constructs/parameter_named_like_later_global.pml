// about: A parameter may have the name of a global variable that is declared later.
// expect: holds
// states: 13
// errors: none
proctype Q(byte later) { assert(later == 3) }
init { run Q(3) }
byte later = 7;
active proctype P() { assert(later == 7) }
