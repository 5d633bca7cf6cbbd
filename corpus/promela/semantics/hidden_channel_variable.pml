// about: A hidden channel variable that is assigned and used is part of the state.
// expect: violated assertion
// hidden: read
// states: n/a: Spin refuses hidden channels
// errors: none
hidden chan h;
chan p = [1] of { byte };
chan q = [1] of { byte };
byte x;

active proctype A()
{
    if
    :: h = p
    :: h = q
    fi;
    x = 1;
    h!x;
    assert(len(q) == 0)
}
