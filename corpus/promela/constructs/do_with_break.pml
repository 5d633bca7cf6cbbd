// about: do repeats, break leaves only the innermost loop.
// expect: holds
// states: 31
// errors: none
byte inner, outer;

active proctype p()
{
    do
    :: outer < 3 ->
        inner = 0;
        do
        :: inner < 2 -> inner++
        :: inner == 2 -> break
        od;
        assert(inner == 2);
        outer++
    :: outer == 3 -> break
    od;
    assert(outer == 3 && inner == 2)
}
