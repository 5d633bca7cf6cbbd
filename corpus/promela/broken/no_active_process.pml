// about: A proctype that nobody starts: there is no init and no active process.
// expect: refused
// mistake: 4:10 no process is ever started
proctype worker()
{
    skip
}
