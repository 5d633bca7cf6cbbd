// about: The end of a comment that was not begun is ignored, with a warning.
// expect: holds
// states: 3
// errors: none
byte x; /* a comment */ */
active proctype P() { x = 1 }
