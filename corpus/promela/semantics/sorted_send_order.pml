// about: `!!` compares field by field from the left, as numbers, and goes behind equal messages.
// expect: holds
// states: 14
// errors: none
chan q = [4] of { short, byte };

active proctype p()
{
    short a;
    byte b;
    q!!3, 1;
    q!!-2, 9;
    q!!3, 0;
    q!!0, 5;
    q?a, b; assert(a == -2 && b == 9);
    q?a, b; assert(a == 0 && b == 5);
    q?a, b; assert(a == 3 && b == 0);
    q?a, b; assert(a == 3 && b == 1)
}
