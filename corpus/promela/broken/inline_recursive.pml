// about: An inline that calls itself would never end.
// expect: refused
// mistake: 9:5 inline `down` calls itself
byte x = 3;

inline down(v)
{
    v--;
    down(v)
}

active proctype p()
{
    down(x)
}
