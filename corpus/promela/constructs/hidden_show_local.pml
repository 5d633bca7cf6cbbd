// about: hidden keeps a variable out of the state, show and local leave its meaning alone.
// expect: holds
// states: 15
// errors: none
// hidden: read
hidden byte scratch;
show byte visible = 1;
local byte counted = 0;

active proctype main()
{
    show byte mine = 2;
    do
    :: counted < 5 ->
        atomic { scratch = counted; counted = scratch + visible }
    :: counted == 5 -> break
    od;
    assert(mine == 2);
    assert(counted == 5)
}
