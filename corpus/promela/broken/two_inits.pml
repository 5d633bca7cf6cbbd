// about: Two init processes. (Spin starts both.)
// expect: refused
// mistake: 10:1 `init` stands twice
byte x;

init {
    x = 1
}

init {
    x = 2
}
