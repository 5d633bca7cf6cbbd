// about: An atomic sequence as one branch of a choice: its first statement is the guard.
// expect: holds
// states: 5
// errors: none
bit lock;
byte inside;

active [2] proctype p()
{
    do
    :: atomic { lock == 0 -> lock = 1; inside++ };
        assert(inside == 1);
        atomic { inside--; lock = 0 }
    :: atomic { lock == 1 -> assert(inside == 1) }
    od
}
