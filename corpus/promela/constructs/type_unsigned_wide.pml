// about: an unsigned variable of more than 16 bits
// expect: holds
// states: 10
// errors: none
unsigned wide : 20;
unsigned next : 17;

active proctype P()
{
	wide = 1000000;
	assert(wide == 1000000);
	wide = wide + 100000;
	assert(wide == 51424);
	next = 131071;
	assert(next == 131071 && wide == 51424);
	next++;
	assert(next == 0 && wide == 51424)
}
