// about: Another process may run in front of an atomic sequence whose first step is a process's own business.
// expect: violated assertion
// states: 10
// errors: assertion
byte a;

active proctype Q()
{
    a = 1;
    atomic { skip; assert(a != 2) }
}

active proctype P()
{
    a == 1;
    a = 2
}
