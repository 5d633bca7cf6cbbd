// about: Declarations only: nothing ever happens in this model.
// expect: refused
// mistake: 1:1 there is no process
byte x;
chan q = [1] of { byte };
