// about: The values that a random receive asks for are worked out once, so a `run` among them starts one process.
// expect: holds
// states: 10
// errors: none
chan c = [3] of { byte };
byte started;

proctype R(byte x; chan d)
{
    started++
}

init {
    c!4; c!3; c!1;
    c??eval(run R(1, c));
    (_nr_pr == 1);
    assert(started == 1)
}
