// about: Labels that begin with end, accept or progress have a meaning; here the server may wait for ever
// about: at its end label, every lap passes a progress label, so no non-progress cycle exists.
// expect: holds
// options: --non-progress
// states: 39
// errors: none
chan q = [1] of { byte };

active proctype server()
{
    byte v;
end_idle:
    do
    :: q?v ->
progress_served:
        assert(v < 3)
    od
}

active proctype client()
{
    byte i;
    do
    :: i < 3 -> q!i; i++
    :: i == 3 -> break
    od
}
