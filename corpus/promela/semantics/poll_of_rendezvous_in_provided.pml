// about: Polling a rendezvous channel in a `provided` clause is a runtime error of its process.
// expect: violated runtime-error
// states: n/a: Spin goes on after the error
// errors: runtime-error
typedef T { chan q = [0] of { byte } }
T box;
byte x;

active proctype A() provided (!(box.q?[1]))
{
    x = 1;
    assert(x == 1)
}
