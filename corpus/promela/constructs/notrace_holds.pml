// about: The unwanted sequence (bye before hello) cannot be completed.
// expect: holds
// states: 8
// errors: none
mtype = { hello, bye };
chan q = [2] of { mtype };

active proctype sender()
{
    q!hello;
    q!bye
}

active proctype receiver()
{
    q?hello;
    q?bye
}

notrace {
    q!bye;
    q!hello
}
