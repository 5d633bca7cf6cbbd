// about: There is no while in Promela.
// expect: refused
// mistake: 8:5 there is no `while`; a loop is do ... od
byte x;

active proctype p()
{
    while (x < 3) {
        x++
    }
}
