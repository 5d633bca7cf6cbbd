// about: `!!` does not sort what is there: the message goes before the first one larger than it.
// expect: holds
// states: 14
// errors: none
chan q = [4] of { byte };

active proctype p()
{
    byte a;
    q!5;
    q!2;
    q!9;
    q!!4;
    q?a; assert(a == 4);
    q?a; assert(a == 5);
    q?a; assert(a == 2);
    q?a; assert(a == 9)
}
