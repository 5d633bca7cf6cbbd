// about: a process of more than 255 control states in front of another one
// expect: holds
// states: 277
// errors: none
short n;
bool done;

active proctype Long()
{
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	n++; n++; n++; n++; n++; n++; n++; n++; n++; n++;
	done = true
}

active proctype Watcher()
{
	short seen;

	done -> seen = n;
	assert(seen == 270)
}
