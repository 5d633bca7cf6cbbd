// about: Three values for a channel of two fields.
// expect: refused
// mistake: 8:5 the channel has 2 fields, not 3
chan q = [1] of { byte, byte };

active proctype p()
{
    q!1, 2, 3
}
