// about: A declaration of an array in the middle of a body sets only element 0 to zero again, in Spin.
// expect: holds
// states: 15
// errors: none
byte rounds;

active proctype p()
{
    do
    :: rounds < 2 ->
        byte a[2];
        assert(a[0] == 0 && a[1] == rounds);
        a[0]++;
        a[1]++;
        rounds++
    :: rounds == 2 -> break
    od
}
