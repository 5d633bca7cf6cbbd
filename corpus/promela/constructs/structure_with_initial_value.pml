// about: The initial value of a structure is ignored, with a warning.
// expect: holds
// states: 4
// errors: none
typedef ObjRef { byte a; byte b }
ObjRef r[2] = 255;
active proctype P() { assert(r[0].a == 0); assert(r[1].b == 0) }
