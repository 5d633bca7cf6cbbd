#define M0(x) x x x
#define M1(x) M0(M0(x))
#define M2(x) M1(M1(x))
init { M2(skip;) skip }
