// about: Reaching the declaration of a structure is a step; the structure has its initial values from the start and keeps what it has.
// expect: holds
// states: 13
// errors: none
typedef C { byte n = 7; byte m }

active proctype A()
{
    byte k;
    do
    :: k < 2 ->
        C ch;
        assert(ch.n == 7 + k);
        ch.n = ch.n + 1;
        k++
    :: else -> break
    od
}
