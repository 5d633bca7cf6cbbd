// about: A process cannot shake hands with itself.
// expect: violated invalid-end-state
// states: 1
// errors: invalid-end-state
chan q = [0] of { byte };

active proctype p()
{
    if
    :: q!1
    :: q?1
    fi
}
