// about: for (i in n) needs an array or a channel.
// expect: refused
// mistake: 8:15 `n` is neither an array nor a channel
byte n, i;

active proctype p()
{
    for (i in n) {
        skip
    }
}
