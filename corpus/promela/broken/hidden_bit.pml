// about: Spin does not allow a hidden variable of type bit.
// expect: refused
// mistake: 4:12 a bit cannot be hidden
hidden bit h;

active proctype p()
{
    h = 1
}
