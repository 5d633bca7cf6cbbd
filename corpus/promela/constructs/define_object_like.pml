// about: Object-like macros: a constant, an expression, and a macro whose body names another macro.
// expect: holds
// states: 50
// errors: none
#define CAPACITY 4
#define HALF     (CAPACITY / 2)
#define IS_FULL  (used == CAPACITY)

byte used = 0;

active proctype filler()
{
    do
    :: !IS_FULL -> used++
    :: IS_FULL -> break
    od;
    assert(used >= HALF && used <= 2 * HALF)
}

active proctype drainer()
{
    do
    :: used > HALF -> used--
    :: used <= HALF -> break
    od
}
