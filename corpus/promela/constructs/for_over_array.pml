// about: for (i in a) runs i over the indices of the array a, not over its elements.
// expect: holds
// states: 33
// errors: none
byte a[4] = { 5, 6, 7, 8 };
byte squares[3];

active proctype p()
{
    byte i, sum;
    for (i in a) {
        assert(a[i] == 5 + i);
        sum = sum + a[i]
    }
    assert(sum == 26 && i == 4);
    for (i in squares) {
        squares[i] = i * i
    }
    assert(squares[2] == 4)
}
