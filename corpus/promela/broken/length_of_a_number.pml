// about: len of a variable that is no channel. (Spin finds out only when it runs.)
// expect: refused
// mistake: 8:9 `n` is a byte, not a channel
byte n;

active proctype p()
{
    len(n) == 0
}
