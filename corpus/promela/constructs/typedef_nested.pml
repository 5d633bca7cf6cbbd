// about: Structures in structures, arrays of structures, arrays in structures, and whole messages of them.
// expect: holds
// states: 18
// errors: none
typedef Point { short x; short y }
typedef Segment { Point from; Point to }
typedef Path { Segment part[3]; byte used }

Path p;
short length;

active proctype build()
{
    p.part[0].from.x = 1;
    p.part[0].to.x = 4;
    p.part[1].from.x = p.part[0].to.x;
    p.part[1].to.x = 9;
    p.used = 2
}

active proctype measure()
{
    byte i;
    p.used == 2;
    do
    :: i < p.used ->
        length = length + (p.part[i].to.x - p.part[i].from.x);
        i++
    :: i == p.used -> break
    od;
    assert(length == 8);
    assert(p.part[2].to.y == 0)
}
