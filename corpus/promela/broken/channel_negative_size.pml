// about: A channel cannot have room for less than nothing. (Spin does not notice.)
// expect: refused
// mistake: 4:11 the size of a channel cannot be negative
chan q = [-1] of { byte };

active proctype p()
{
    q!1
}
