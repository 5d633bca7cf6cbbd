// about: A run that ends at an accept label is extended by repeating its last state: it is accepted, as by `pan -a`.
// expect: violated acceptance-cycle
// options: --acceptance
// states: 2
// errors: none
byte g;

active proctype waiter()
{
end1:
accept1:
    g == 2
}

active proctype other()
{
    g = 1;
end2:
    g == 0
}
