// about: The types of a message must stand in braces.
// expect: refused
// mistake: 4:17 `{` is expected
chan q = [2] of byte;

active proctype p()
{
    q!1
}
