// about: The question whether a label can be reached: it can, when both choices fall right.
// expect: violated label-reached
// options: --reach treasure
// states: 19
// errors: none
byte a, b;

active proctype p()
{
    if :: a = 1 :: a = 2 fi;
    if :: b = 3 :: b = 4 fi;
    if
    :: a + b == 6 ->
treasure:
        skip
    :: a + b != 6 -> skip
    fi
}
