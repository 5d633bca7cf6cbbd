// about: else is taken only when no other guard of the same choice can be taken.
// expect: holds
// states: 10
// errors: none
byte n = 3;
byte elses;

active proctype p()
{
    do
    :: n > 1 -> n--
    :: n == 7 -> assert(false)
    :: else ->
        assert(n <= 1 && n != 7);
        elses++;
        break
    od;
    assert(elses == 1)
}
