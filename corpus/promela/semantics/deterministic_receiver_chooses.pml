// about: A D_proctype that can take a message in two ways chooses as well.
// expect: violated runtime-error
// states: 9
// errors: runtime-error
chan c = [0] of { byte };
byte x;
active proctype S()
{
    c!1
}
active D_proctype P()
{
    if
    :: c?1 -> x = 1
    :: c?_ -> x = 2
    fi
}
