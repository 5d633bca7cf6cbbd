// about: for (i : a .. b) counts up, both ends included; with a > b the body is not run.
// about: After the loop the index is one past the end.
// expect: holds
// states: 43
// errors: none
byte sum, lo = 2;

active proctype p()
{
    byte i, j;
    for (i : lo .. lo + 3) {
        sum = sum + i
    }
    assert(sum == 14 && i == 6);
    for (i : lo + 3 .. 4) {
        assert(false)
    }
    assert(i == 5);
    for (i : 1 .. 2) {
        for (j : 1 .. 2) {
            sum = sum + 10
        }
    }
    assert(sum == 54)
}
