// about: A parameter cannot have a field that is an array.
// expect: refused
// mistake: 5:14 array field in a parameter
typedef T { byte a[2] }
proctype Q(T t) { assert(t.a[0] == 1) }
init { T u; u.a[0] = 1; run Q(u) }
