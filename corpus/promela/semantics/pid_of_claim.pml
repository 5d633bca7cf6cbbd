// about: The number of a claim is 0, whichever process ran before.
// expect: holds
// states: 16
// errors: none
byte x;
active [2] proctype P() { x = 1; x = 2 }
never { do :: _pid == 1 -> break :: skip od }
