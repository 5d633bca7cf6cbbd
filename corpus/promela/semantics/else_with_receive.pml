// about: else beside a receive on a buffered channel: taken when no message is there that fits.
// about: (Spin prints "dubious use of 'else' combined with i/o", and goes on.)
// expect: holds
// states: 33
// errors: none
chan q = [1] of { byte };
byte v, polls;

active proctype reader()
{
    do
    :: q?v -> assert(v == 3); break
    :: else -> polls = (polls + 1) % 3
    od
}

active proctype writer()
{
    q!3
}
