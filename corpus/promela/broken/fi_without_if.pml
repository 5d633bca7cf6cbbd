// about: An fi too many.
// expect: refused
// mistake: 9:5 `fi` without `if`
byte x;

active proctype p()
{
    x = 1;
    fi;
    x = 2
}
