// about: _pid cannot be changed.
// expect: refused
// mistake: 6:5 `_pid` cannot be assigned
active proctype p()
{
    _pid = 3
}
