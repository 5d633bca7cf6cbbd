// about: `??` is not a free choice: of several matching messages it takes the oldest.
// expect: holds
// states: 13
// errors: none
chan q = [4] of { byte, byte };

active proctype p()
{
    byte v;
    q!1, 10;
    q!2, 20;
    q!2, 21;
    q!1, 11;
    q??2, v; assert(v == 20);
    q??2, v; assert(v == 21);
    q??1, v; assert(v == 10);
    assert(len(q) == 1)
}
