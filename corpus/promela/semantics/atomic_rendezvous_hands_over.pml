// about: A rendezvous send inside atomic passes control to the receiver: if its receive stands in an atomic
// about: sequence that one goes on first, so the bystander never sees the state in between.
// expect: holds
// states: 10
// errors: none
chan q = [0] of { byte };
byte a, b;

active proctype sender()
{
    atomic {
        a = 1;
        q!5;
        a = 2
    }
}

active proctype receiver()
{
    byte v;
    atomic {
        q?v;
        b = v;
        b = b + 1
    }
}

active proctype bystander()
{
    do
    :: b == 5 -> assert(false)
    :: b == 6 -> break
    :: a == 1 && b == 0 -> assert(false)
    od
}
