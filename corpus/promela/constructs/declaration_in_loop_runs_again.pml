// about: A declaration that is not at the top of a process body is a step of its own: it assigns the
// about: initial value (or zero) each time control passes, so n is 11 and z is 1 in every round.
// expect: holds
// states: 24
// errors: none
byte rounds;

active proctype main()
{
    do
    :: rounds < 3 ->
        byte n = 10;
        byte z;
        n++;
        z++;
        rounds++;
        assert(n == 11 && z == 1)
    :: rounds == 3 -> break
    od
}
