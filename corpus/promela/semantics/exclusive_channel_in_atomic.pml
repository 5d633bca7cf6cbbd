// about: an atomic sequence that uses an exclusive channel behind its first statement depends on the channel
// expect: violated invalid-end-state
// states: 186
// errors: invalid-end-state
chan q = [1] of { byte };
byte stop;

active proctype Source()
{
	byte i;

	xs q;
	do
	:: i < 4 -> atomic { i++; q!i }
	:: else -> break
	od
}

active proctype Sink()
{
	byte m, n;

	xr q;
	do
	:: n < 2 -> atomic { n++; q?m; assert(m == n) }
	:: else -> break
	od
}

active proctype Other()
{
	stop = 1;
	stop = 0
}
