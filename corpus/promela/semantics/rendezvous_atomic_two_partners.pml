// about: Two receivers wait for one sender: either may be the partner, one of them is left behind.
// expect: violated invalid-end-state
// states: 7
// errors: invalid-end-state
chan q = [0] of { byte };
byte got;

active proctype sender()
{
    atomic { q!1; got++ }
}

active [2] proctype receiver()
{
    atomic { q?1; got = 5 * _pid }
}
