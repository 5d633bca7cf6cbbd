// about: A declaration in C: not supported.
// expect: refused
// mistake: 4:1 embedded C code is not supported
c_decl {
    typedef struct { int a; } pair;
};

active proctype p()
{
    skip
}
