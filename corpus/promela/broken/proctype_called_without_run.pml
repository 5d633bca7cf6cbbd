// about: A proctype is started like a function, without run.
// expect: refused
// mistake: 10:5 `run` is missing before `worker`
proctype worker()
{
    skip
}

init {
    worker()
}
