// about: an event trace that can follow one event in two ways is an error.
// expect: violated runtime-error
// states: 1
// errors: runtime-error
chan c = [1] of { byte };

active proctype P()
{
    c!1
}

trace {
    if
    :: c!_
    :: c!1
    fi
}
