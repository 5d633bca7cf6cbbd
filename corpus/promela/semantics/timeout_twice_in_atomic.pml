// about: Without a claim, `timeout` is asked for again inside an atomic sequence: Q moves first.
// expect: holds
// states: 7
// errors: none
byte x;
active proctype P() {
    atomic {
        timeout;
        x = 1;
        timeout;
        assert(x == 3)
    }
}
active proctype Q() { x == 1 -> x = 3 }
