// about: Function-like macros: arguments are pasted as text, so brackets in the body matter.
// about: SQUARE_BAD(2 + 1) is 2 + 1 * 2 + 1 = 5, SQUARE_GOOD(2 + 1) is 9.
// expect: holds
// states: 8
// errors: none
#define SQUARE_BAD(x)  x * x
#define SQUARE_GOOD(x) ((x) * (x))
#define MAX(a, b)      ((a) > (b) -> (a) : (b))

int bad, good, big;

active proctype main()
{
    bad = SQUARE_BAD(2 + 1);
    good = SQUARE_GOOD(2 + 1);
    big = MAX(bad, good);
    assert(bad == 5);
    assert(good == 9);
    assert(big == good)
}
