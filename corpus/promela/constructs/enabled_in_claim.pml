// about: enabled(p) in a claim: is process p able to move? The taker is able exactly while tokens are left.
// expect: holds
// states: 3
// errors: none
byte tokens = 1;

active proctype taker()
{
    do
    :: atomic { tokens > 0 -> tokens-- }
    od
}

active proctype giver()
{
    do
    :: atomic { tokens == 0 -> tokens = 2 }
    od
}

never {
    do
    :: enabled(0) && tokens == 0 -> break
    :: !enabled(0) && tokens > 0 -> break
    :: else
    od
}
