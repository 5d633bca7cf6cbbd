typedef T0 { byte a[250] };
typedef T1 { T0 a[250] };
typedef T2 { T1 a[250] };
T2 x;
init { x.a[0].a[0].a[0] = 1 }
