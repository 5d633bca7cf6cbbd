// about: A d_step is one step; it cannot be interrupted by an unless. (Spin reports it and ignores the unless.)
// expect: refused
// mistake: 12:11 `unless` is not allowed in a d_step
byte x;

active proctype p()
{
    d_step {
        x = 1;
        {
            x = 2
        } unless {
            x == 1
        }
    }
}
