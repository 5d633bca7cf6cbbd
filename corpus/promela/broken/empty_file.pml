// about: No declaration at all: apart from this header the file is empty.
// expect: refused
// mistake: 1:1 there is no process
