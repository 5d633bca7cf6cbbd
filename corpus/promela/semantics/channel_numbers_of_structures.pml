// about: Channels of global structures are numbered after all others, element by element; those of locals as declared.
// expect: holds
// states: 11
// errors: none
typedef Pair { chan left = [1] of { byte }; chan right = [2] of { byte } };
Pair p[2];
chan plain[2] = [3] of { byte };
init
{
    Pair own[2];
    chan alone = [1] of { byte };
    assert(plain[0] == 1);
    assert(plain[1] == 2);
    assert(p[0].left == 3);
    assert(p[0].right == 4);
    assert(p[1].left == 5);
    assert(p[1].right == 6);
    assert(own[0].left == 7 && own[0].right == 8);
    assert(own[1].left == 9 && own[1].right == 10);
    assert(alone == 11)
}
