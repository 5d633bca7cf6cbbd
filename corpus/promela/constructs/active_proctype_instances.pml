// about: active [n] starts n instances numbered in the order of the text; init comes where it is written.
// expect: holds
// states: 252
// errors: none
byte seen;

active [2] proctype first()
{
    assert(_pid == 0 || _pid == 1);
    seen++
}

init {
    assert(_pid == 2);
    seen++
}

active [2] proctype second()
{
    assert(_pid == 3 || _pid == 4);
    seen++;
    seen == 5
}
