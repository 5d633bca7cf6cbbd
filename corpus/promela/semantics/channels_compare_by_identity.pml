// about: == on channels asks whether they are the same channel, not whether they hold the same messages.
// expect: holds
// states: 8
// errors: none
chan a = [1] of { byte };
chan b = [1] of { byte };
chan c;

active proctype p()
{
    a!1;
    b!1;
    assert(a != b);
    c = a;
    assert(c == a);
    assert(len(c) == 1)
}
