// about: A whole loop can be atomic; only the last state of each choice is seen by others.
// expect: holds
// states: 7
// errors: none
byte n, sum;

active proctype p()
{
    atomic {
        do
        :: n < 5 -> n++; sum = sum + n
        :: n == 5 -> break
        od;
        n = 0
    }
}

active proctype q()
{
    assert(n == 0 && (sum == 0 || sum == 15))
}
