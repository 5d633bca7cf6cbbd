// about: len, empty, nempty, full and nfull.
// expect: holds
// states: 12
// errors: none
chan q = [2] of { bit };

active proctype p()
{
    assert(len(q) == 0 && empty(q) && nfull(q));
    q!1;
    nempty(q);
    nfull(q);
    assert(len(q) == 1);
    q!0;
    full(q);
    assert(len(q) == 2 && full(q) && nempty(q));
    q?_;
    assert(len(q) + 1 == 2)
}
