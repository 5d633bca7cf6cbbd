// about: A choice must have at least one branch.
// expect: refused
// mistake: 9:5 `::` is expected
byte x;

active proctype p()
{
    if
    x == 0 -> x = 1
    fi
}
