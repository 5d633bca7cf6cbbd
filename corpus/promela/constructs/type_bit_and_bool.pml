// about: bit and bool hold one bit: what is assigned is cut to its lowest bit, so 2 becomes 0 and 3 becomes 1.
// expect: holds
// states: 16
// errors: none
bit b = 1;
bool flag = true;

active proctype main()
{
    b = 2;
    assert(b == 0);
    b = 3;
    assert(b == 1);
    b++;
    assert(b == 0);
    b--;
    assert(b == 1);
    flag = 2;
    assert(flag == false);
    flag = 5;
    assert(flag == true && flag == 1);
    flag = !flag;
    assert(!flag)
}
