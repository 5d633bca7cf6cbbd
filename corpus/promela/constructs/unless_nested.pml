// about: unless within unless: the inner escape is tried first, the outer one interrupts that one too.
// expect: holds
// states: 18
// errors: none
byte mode;
byte path;

active proctype worker()
{
    {
        {
            do
            :: path = 0
            od
        } unless {
            mode == 1;
            path = 1;
            mode == 9
        }
    } unless {
        mode == 2;
        path = 2
    };
    assert(path == 2 && mode == 2)
}

active proctype driver()
{
    if
    :: mode = 1; path == 1; mode = 2
    :: mode = 2
    fi
}
