// about: Inside a body the end of a line closes a statement when it follows a name, a number, a bracket,
// about: ++, --, break, else, fi or od; inside round brackets an expression may go on over lines.
// expect: holds
// states: 14
// errors: none
byte x
byte y = 2

active proctype main()
{
    x = 1
    y++
    if
    :: x == 1
        y--
    :: else
        y = 9
    fi
    do
    :: x < 3
        x++
    :: else
        break
    od
    assert(x == 3
        && y ==
        2)
    atomic {
        x = 0
        y = 0
    }
    assert(x + y == 0)
}
