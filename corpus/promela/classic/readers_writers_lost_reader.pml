// about: Readers look for a writer in one step and count themselves in two more (read, write): a writer
// about: slips in between, and one of two readers can get lost from the count.
// expect: violated assertion
// states: 1094
// errors: assertion, invalid-end-state
byte readers, reading, writing;

active [2] proctype reader()
{
    byte t;
    writing == 0;
    t = readers;
    readers = t + 1;
    reading++;
    assert(writing == 0);
    reading--;
    t = readers;
    readers = t - 1
}

active proctype writer()
{
    atomic { readers == 0 -> writing++ };
    assert(reading == 0);
    writing--
}
