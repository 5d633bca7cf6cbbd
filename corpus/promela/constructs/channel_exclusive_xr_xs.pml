// about: xr and xs say that only this process receives from or sends to a channel; the meaning stays the same.
// expect: holds
// states: 128
// errors: none
chan q = [2] of { byte };

active proctype producer()
{
    xs q;
    byte i;
    do
    :: i < 4 -> q!i; i++
    :: i == 4 -> break
    od
}

active proctype consumer()
{
    xr q;
    byte v, next;
    do
    :: next < 4 -> q?v; assert(v == next); next++
    :: next == 4 -> break
    od
}
