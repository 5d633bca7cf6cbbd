// about: A proctype cannot stand inside another.
// expect: refused
// mistake: 9:5 a proctype cannot stand inside a body
byte x;

active proctype outer()
{
    x = 1;
    proctype inner()
    {
        x = 2
    }
}
