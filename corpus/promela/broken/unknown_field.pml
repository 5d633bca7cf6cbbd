// about: The structure has no such field.
// expect: refused
// mistake: 10:8 `Point` has no field `z`
typedef Point { byte x; byte y }
Point pt;

active proctype p()
{
    pt.x = 1;
    pt.z = 2
}
