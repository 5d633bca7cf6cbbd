// about: a d_step that begins with a receive takes part in a rendezvous only if the message matches
// expect: holds
// states: 6
// errors: none
chan c = [0] of { byte, byte };
byte got;

active proctype Sender()
{
	c!1(5);
	c!2(6)
}

active proctype Receiver()
{
	byte x;

	if
	:: d_step { c?2(x) -> got = 20 + x }
	:: d_step { c?1(x) -> got = 10 + x }
	fi;
	d_step {
		if
		:: c?1(x) -> got = 0
		:: c?2(x) -> got = got + x
		fi
	};
	assert(got == 21)
}
