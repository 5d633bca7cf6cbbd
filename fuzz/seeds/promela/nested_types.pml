typedef T0 { byte a[25] };
typedef T1 { T0 a[25] };
T1 x;
init { x.a[0].a[0] = 1 }
