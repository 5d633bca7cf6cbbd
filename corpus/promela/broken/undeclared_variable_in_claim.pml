// about: The claim reads a variable that is local to the process.
// expect: refused
// mistake: 12:8 `done` is not declared here
active proctype p()
{
    bool done;
    done = true
}

never {
    do
    :: done -> break
    :: true
    od
}
