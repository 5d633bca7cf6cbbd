// about: for (m in q) looks at each message of a channel of one structure; the channel keeps them.
// expect: holds
// states: 24
// errors: none
typedef Msg { byte tag; short value }

chan q = [3] of { Msg };
short sum;

active proctype p()
{
    Msg m;
    m.tag = 1;
    m.value = -4;
    q!m;
    m.tag = 2;
    m.value = 6;
    q!m;
    for (m in q) {
        sum = sum + m.tag * m.value
    }
    assert(sum == 8);
    assert(len(q) == 2);
    q?m;
    assert(m.tag == 1 && m.value == -4)
}
