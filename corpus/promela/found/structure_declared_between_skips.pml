// about: The declaration of a structure is a step of its own, not one of several skips in a row.
// expect: violated invalid-end-state
// states: 4
// errors: invalid-end-state
typedef In { byte a; byte h[2] };
chan c = [2] of { byte };

active proctype P()
{
    if
    ::
        skip ->
        In z1;
        skip
    fi;
    c??0
}
