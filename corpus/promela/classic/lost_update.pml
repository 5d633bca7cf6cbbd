// about: Two processes add one by reading and writing in two steps; one addition can get lost.
// expect: violated assertion
// states: 55
// errors: assertion
byte balance, done;

active [2] proctype deposit()
{
    byte t;
    t = balance;
    t++;
    balance = t;
    done++
}

active proctype auditor()
{
    done == 2;
    assert(balance == 2)
}
