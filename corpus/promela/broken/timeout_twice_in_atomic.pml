// about: Beside a claim, Spin keeps `timeout` true until the end of the atomic sequence; without one it does not.
// expect: refused
// mistake: 9:9 a second `timeout` in an atomic sequence
byte x;
active proctype P() {
    atomic {
        timeout;
        x = 1;
        timeout;
        x = 2
    }
}
active proctype Q() { x == 1 -> x = 3 }
never { do :: x != 3 od }
