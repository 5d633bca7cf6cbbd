// about: `!!` is the sorted send, so two negations must be written with brackets.
// expect: refused
// mistake: 9:9 `!!` is the sorted send
byte x;
bool b;

active proctype p()
{
    b = !!x
}
