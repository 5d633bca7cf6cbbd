// about: A bounded buffer in an array with two indices and a counter; what goes in comes out in order.
// expect: holds
// states: 605
// errors: none
#define SIZE 3
#define LAST 6
byte buffer[SIZE], used;

active proctype producer()
{
    byte item, at;
    do
    :: item < LAST ->
        used < SIZE;
        buffer[at] = item + 1;
        at = (at + 1) % SIZE;
        used++;
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
    od;
    assert(used == 0)
}
