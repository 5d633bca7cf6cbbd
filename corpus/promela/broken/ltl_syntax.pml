// about: An operator without a right side in a formula.
// expect: refused
// mistake: 12:26 a formula is expected
bool a, b;

active proctype p()
{
    a = true;
    b = true
}

ltl broken { [] (a -> <> ) }
