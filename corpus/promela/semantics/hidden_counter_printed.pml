// about: Hidden variables that are only counted and printed, or never written, stay out of the state.
// expect: holds
// states: 7
// errors: none
hidden byte h;
hidden int count;
hidden byte k = 4;
byte x;

active proctype A()
{
    if
    :: h = 1
    :: h = 2
    fi;
    count = count + h;
    printf("%d %d\n", h, count);
    x = k;
    assert(x == 4)
}
