// about: Locals take their initial values in the order in which they are declared, whatever their types.
// expect: holds
// states: 3
// errors: none
active proctype P()
{
    int wide = 1;
    short narrow = wide;
    assert(narrow == 1)
}
