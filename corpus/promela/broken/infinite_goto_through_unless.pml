// about: A jump that leads back to itself through the main part of an `unless`: no step is ever taken.
// expect: refused
// mistake: 8:5 a loop of jumps without a statement
byte x;

active proctype P()
{
    do
    :: L1: break
    od;
    { goto L1 } unless { x == 1 }
}
