// about: a claim ends with its process: afterwards others may send (Spin remembers the first sender: xs assertion violated)
// expect: holds
// states: 7
// errors: none
chan q = [2] of { byte };

proctype Producer()
{
	xs q;
	q!1
}

init {
	run Producer();
	(_nr_pr == 1);
	q!2
}
