// about: A message is received into a hidden array, whose element is read later.
// expect: violated assertion
// hidden: read
// states: 7
// errors: none
hidden byte a[3];
chan c = [2] of { byte };
byte x;

active proctype A()
{
    if
    :: c!1
    :: c!2
    fi;
    c?a[1];
    x = a[1];
    assert(x != 2)
}
