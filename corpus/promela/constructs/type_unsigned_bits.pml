// about: unsigned x : n holds n bits without a sign; what is assigned is cut to its lowest n bits.
// expect: holds
// states: 14
// errors: none
unsigned three : 3 = 7;
unsigned five : 5;
unsigned one : 1;

active proctype main()
{
    unsigned inner : 4 = 15;

    three++;
    assert(three == 0);
    three--;
    assert(three == 7);
    five = 33;
    assert(five == 1);
    five = -1;
    assert(five == 31);
    one = 2;
    assert(one == 0);
    inner++;
    assert(inner == 0)
}
