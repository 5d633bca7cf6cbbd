// about: np_ has no value of its own in a formula; --non-progress searches for cycles without progress.
// expect: refused
// mistake: 11:10 np_ in a formula
byte x;
active proctype P()
{
    do
    :: x = 1 - x
    od
}
ltl { [] np_ }
