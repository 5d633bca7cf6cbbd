// about: In a receive a name alone is a variable to fill, even when it holds the wanted value; eval makes it a test.
// expect: holds
// states: 9
// errors: none
chan q = [1] of { byte };

active proctype p()
{
    byte key = 1;
    q!2;
    assert(!q?[eval(key)]);
    q?key;
    assert(key == 2);
    q!2;
    q?eval(key);
    assert(key == 2 && empty(q))
}
