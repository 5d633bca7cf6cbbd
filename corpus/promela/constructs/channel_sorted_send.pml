// about: `!!` puts a message before the first one that is larger, so the queue stays in order.
// expect: holds
// states: 14
// errors: none
chan q = [4] of { byte, byte };

active proctype p()
{
    byte a, b;
    q!!5, 1;
    q!!2, 9;
    q!!5, 0;
    q!!2, 3;
    q?a, b; assert(a == 2 && b == 3);
    q?a, b; assert(a == 2 && b == 9);
    q?a, b; assert(a == 5 && b == 0);
    q?a, b; assert(a == 5 && b == 1)
}
