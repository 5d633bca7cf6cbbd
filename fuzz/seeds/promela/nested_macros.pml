#define M0(x) x x x
#define M1(x) M0(M0(x))
#define M2(x) M1(M1(x))
#define M3(x) M2(M2(x))
init { M3(skip;) skip }
