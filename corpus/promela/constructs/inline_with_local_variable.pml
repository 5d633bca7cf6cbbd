// about: A variable declared in an inline belongs to each call; two calls do not clash.
// expect: holds
// states: 13
// errors: none
byte total;

inline add_square(n)
{
    byte sq = n * n;
    total = total + sq
}

active [2] proctype p()
{
    atomic {
        add_square(2);
        add_square(3)
    }
    assert(total == 13 || total == 26)
}
