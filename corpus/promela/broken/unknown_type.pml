// about: There is no type `boolean`.
// expect: refused
// mistake: 4:1 unknown type `boolean`
boolean ready;

active proctype p()
{
    ready = true
}
