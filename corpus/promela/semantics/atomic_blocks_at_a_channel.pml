// about: An atomic sequence that waits for a second message gives others a chance to run, although the channels are exclusive.
// expect: violated assertion
// states: 20
// errors: assertion
chan c = [2] of { byte };
byte g;

active proctype Source()
{
    xs c;
    c ! 1;
    c ! 2
}

active proctype Sink()
{
    xr c;
    atomic { c ? _; g = 1; c ? _; g = 0 }
}

active proctype Observer()
{
    assert(g == 0)
}
