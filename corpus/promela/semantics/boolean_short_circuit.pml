// about: && and || stop as soon as the answer is known, so the division is not reached.
// expect: holds
// states: 6
// errors: none
byte zero;

active proctype p()
{
    assert(!(zero != 0 && 10 / zero > 1));
    assert(zero == 0 || 10 / zero > 1);
    if
    :: zero && 5 % zero -> assert(false)
    :: !zero || 5 % zero -> skip
    fi
}
