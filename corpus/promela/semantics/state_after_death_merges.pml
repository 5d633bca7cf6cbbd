// about: Dead processes leave nothing behind: their locals no longer tell states apart.
// expect: holds
// states: 21
// errors: none
byte turns;

proctype child(byte v)
{
    byte mine = v;
    mine++
}

init {
    do
    :: turns < 3 -> run child(turns); (_nr_pr == 1); turns++
    :: turns == 3 -> break
    od
}
