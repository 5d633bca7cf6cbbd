// about: #undef ends a macro; the same name may then mean something else, or be an ordinary identifier.
// expect: holds
// states: 6
// errors: none
#define VALUE 3
byte first = VALUE;
#undef VALUE
#define VALUE 8
byte second = VALUE;
#undef VALUE
byte VALUE = 40;

active proctype main()
{
    VALUE = VALUE + first;
    assert(VALUE == 43);
    VALUE = VALUE + second;
    assert(VALUE == 51)
}
