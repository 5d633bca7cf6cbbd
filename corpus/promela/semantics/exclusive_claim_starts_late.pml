// about: a send violates a claim only if the process that claims is started before it, so it is no safe step
// expect: violated runtime-error
// states: 13
// errors: runtime-error
chan q = [2] of { byte };

proctype Owner()
{
	xs q;
	skip
}

init {
	run Owner()
}

active proctype Other()
{
	q!2
}
