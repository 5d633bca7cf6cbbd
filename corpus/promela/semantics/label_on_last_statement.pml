// about: A label at the end of a body, with nothing after it, labels an empty step.
// expect: holds
// states: 4
// errors: none
byte x;

active proctype p()
{
    if
    :: x == 0 -> goto done
    :: x == 1 -> skip
    fi;
    assert(false);
done:
}
