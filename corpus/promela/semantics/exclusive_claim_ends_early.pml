// about: whether a send violates a claim depends on whether the process that claims is alive, so its end is no safe step
// expect: violated runtime-error
// states: 7
// errors: runtime-error
chan q = [2] of { byte };

active proctype Other()
{
	q!2
}

active proctype Owner()
{
	xs q;
	skip
}
