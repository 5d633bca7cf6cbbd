// about: A channel variable that was declared with capacity 0 may name another channel later.
// expect: holds
// states: 6
// errors: none
chan c = [0] of { byte };
chan b = [1] of { byte };

init
{
    b!1;
    c = b;
    c?[1];
    c?1
}
