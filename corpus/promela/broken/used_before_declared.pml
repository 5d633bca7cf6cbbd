// about: A global variable is used in a process that stands before its declaration.
// expect: refused
// mistake: 6:5 `late` is not declared yet
active proctype p()
{
    late = 1
}

byte late;
