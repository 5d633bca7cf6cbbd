// about: The same with a lock around the read and the write.
// expect: holds
// states: 46
// errors: none
byte balance, done;
bit lock;

active [2] proctype deposit()
{
    byte t;
    atomic { lock == 0 -> lock = 1 };
    t = balance;
    t++;
    balance = t;
    lock = 0;
    done++
}

active proctype auditor()
{
    done == 2;
    assert(balance == 2)
}
