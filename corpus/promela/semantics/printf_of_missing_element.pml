// about: A value that is printed is computed: an index that is out of range is a runtime error.
// expect: violated runtime-error
// states: n/a: Spin goes on after the error
// errors: runtime-error
byte a[2];
byte x;

active proctype B()
{
    x = 3;
    printf("%d\n", a[x]);
    assert(x == 3)
}
