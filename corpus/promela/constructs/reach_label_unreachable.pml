// about: The label stands behind a condition that is never true.
// expect: holds
// options: --reach treasure
// states: 19
// errors: none
byte a, b;

active proctype p()
{
    if :: a = 1 :: a = 2 fi;
    if :: b = 3 :: b = 4 fi;
    if
    :: a + b == 7 ->
treasure:
        skip
    :: a + b != 7 -> skip
    fi
}
