// about: Macros that call macros, an argument that itself holds a macro call with a comma in brackets,
// about: and a macro without arguments that is named like a macro with arguments of another name.
// expect: holds
// states: 21
// errors: none
#define ADD(a, b)      ((a) + (b))
#define TWICE(f)       ADD(f, f)
#define APPLY(m, x, y) m(x, y)
#define BUMP(v, by)    v = ADD(v, by)
#define GUARDED(g, s)  if :: g -> s :: else -> skip fi

byte n = 1;
bool once = true;

active [2] proctype worker()
{
    atomic {
        GUARDED(once, BUMP(n, TWICE(ADD(1, 2))));
        once = false
    }
    assert(n == 7);
    assert(APPLY(ADD, 20, 22) == 42)
}
