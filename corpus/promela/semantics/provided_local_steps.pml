// about: a process may lose its permission to run between two steps that touch local variables only
// expect: violated invalid-end-state
// states: 12
// errors: invalid-end-state
byte x;

active proctype A() provided (x == 0)
{
	byte l;
end:	l = 1;
	l = l + 1;
	assert(l == 2)
}

active proctype B()
{
	x = 1
}
