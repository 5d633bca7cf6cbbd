// about: A receive fills variables; a sum is neither a variable nor a constant.
// expect: refused
// mistake: 10:9 a variable, a constant or eval(...) is expected
chan q = [1] of { byte };
byte x;

active proctype p()
{
    q!1;
    q?x + 1
}
