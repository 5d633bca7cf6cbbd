// about: Every variable without an initialiser starts at zero, at any level.
// expect: holds
// states: 57
// errors: none
bit b; bool t; byte y; short s; int i; pid p; mtype m; unsigned u : 6;
typedef Inner { byte v[2] }
typedef Outer { Inner in[2]; short w }
Outer o;

active [2] proctype main()
{
    byte local_byte;
    Outer local_outer;
    assert(b == 0 && t == false && y == 0 && s == 0 && i == 0);
    assert(p == 0 && m == 0 && u == 0);
    assert(o.in[1].v[1] == 0 && o.w == 0);
    assert(local_byte == 0 && local_outer.in[0].v[1] == 0 && local_outer.w == 0);
    local_outer.in[0].v[1] = _pid + 1;
    assert(local_outer.in[0].v[1] == _pid + 1 && local_outer.in[1].v[0] == 0)
}
