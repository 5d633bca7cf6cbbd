// about: mtype names are numbered from 1; a second mtype list goes on with the same numbers;
// about: in one list the LAST name has the lowest number.
// expect: holds
// states: 13
// errors: none
mtype = { red, amber, green };
mtype = { left, right };

mtype light = red;
mtype arrow;

active proctype main()
{
    assert(green == 1 && amber == 2 && red == 3);
    assert(right == 4 && left == 5);
    assert(arrow == 0);
    do
    :: light == red -> light = green
    :: light == green -> light = amber
    :: light == amber -> light = red; break
    od;
    arrow = left;
    assert(light != arrow)
}
