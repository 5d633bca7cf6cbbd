// about: Two structures of one name.
// expect: refused
// mistake: 5:9 `Item` is declared already
typedef Item { byte a }
typedef Item { byte b }

Item it;

active proctype p()
{
    it.a = 1
}
