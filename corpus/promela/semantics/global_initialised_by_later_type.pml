// about: Globals take their initial values type by type: a value of a later type is still 0.
// expect: holds
// states: 13
// errors: none
int wide = 1;
short narrow = wide;
byte b = 3;
unsigned u : 4 = b;
bool flag = b;
short after = b;
byte before = after;
typedef S { byte f = 7 };
S s;
int field = s.f;
hidden int outside = 5;
byte inside = outside;
chan q = [1] of { byte };
byte number = q;
short later_number = q;
mtype = { A, B };
mtype m = B;
byte value = m;
short later_value = m;
init
{
    assert(narrow == 0);
    assert(u == 0);
    assert(!flag);
    assert(after == 3);
    assert(before == 0);
    assert(field == 0);
    assert(inside == 0);
    assert(number == 0);
    assert(later_number == 1);
    assert(value == 0);
    assert(later_value == 1)
}
