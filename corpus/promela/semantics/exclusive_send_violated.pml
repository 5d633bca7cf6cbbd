// about: a process sends to a channel that another one claims with xs (Spin with reduction: xs assertion violated)
// expect: violated runtime-error
// states: 13
// errors: runtime-error
chan q = [2] of { byte };

proctype Producer(chan out)
{
	xs out;
	out!1
}

proctype Intruder(chan out)
{
	out!2
}

init {
	atomic { run Producer(q); run Intruder(q) }
}
