// about: An initial value that asks who moved last makes `_last` part of the state, so every step changes it.
// expect: holds
// states: 861
// errors: none
byte arr[2] = { 1, 2 };

active proctype P()
{
    byte z = _last;
    skip
}

active [2] proctype Q()
{
    byte x, y;
    for (y in arr) {
        skip;
        skip;
        skip
    }
}
