// about: np_ is a condition of its own, not a part of an expression.
// expect: refused
// mistake: 13:9 np_ inside of an expression
byte x;
active proctype P()
{
    do
    :: x = 1 - x
    od
}
never {
    do
    :: !np_ -> break
    :: true
    od
}
