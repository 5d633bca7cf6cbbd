byte count, finished;

active [2] proctype add()
{
    byte mine;
    mine = count;
    count = mine + 1;
    finished++
}

active proctype check()
{
    finished == 2;
    assert(count == 2)
}
