// about: An escape that begins with `unless` interrupts the last statement of an atomic sequence, not those before it.
// expect: violated assertion
// states: 17
// errors: assertion
byte x;
active proctype P() {
    { atomic { x = 1; x = 2 } } unless { { x == 1 -> x = 3 } unless { x == 5 -> assert(false) } }
}
active proctype Q() { x = 5 }
