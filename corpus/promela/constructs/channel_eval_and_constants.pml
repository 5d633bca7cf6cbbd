// about: Constants and eval(...) in a receive must match; variables are assigned; `_` is dropped.
// expect: holds
// states: 11
// errors: none
chan q = [2] of { byte, byte, byte };

active proctype p()
{
    byte key = 4, v = 9;
    q!4, 5, 6;
    q!5, 5, 7;
    assert(!q?[3, _, v]);
    assert(q?[eval(key), 5, v]);
    assert(!q?[eval(key + 1), _, _]);
    q?eval(key), _, v;
    assert(v == 6 && key == 4);
    q?eval(key + 1), key, 7;
    assert(key == 5 && v == 6)
}
