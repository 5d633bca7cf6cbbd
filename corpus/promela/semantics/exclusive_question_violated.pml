// about: empty(q) depends on senders and receivers, so it violates the claim xs q of another process; nempty(q) does not
// expect: violated runtime-error
// states: 8
// errors: runtime-error
chan q = [1] of { byte };

active proctype Sender()
{
	xs q;
	q!1
}

active proctype Receiver()
{
	byte x;

	xr q;
	nempty(q);
	q?x;
	assert(x == 1);
	empty(q)
}
