// about: The producer raises the counter before it has written: the consumer reads an empty place.
// expect: violated assertion
// states: 521
// errors: assertion
#define SIZE 2
#define LAST 3
byte buffer[SIZE], used;

active proctype producer()
{
    byte item, at;
    do
    :: item < LAST ->
        used < SIZE;
        used++;
        buffer[at] = item + 1;
        at = (at + 1) % SIZE;
        item++
    :: item == LAST -> break
    od
}

active proctype consumer()
{
    byte item, at;
    do
    :: item < LAST ->
        used > 0;
        assert(buffer[at] == item + 1);
        buffer[at] = 0;
        at = (at + 1) % SIZE;
        used--;
        item++
    :: item == LAST -> break
    od
}
