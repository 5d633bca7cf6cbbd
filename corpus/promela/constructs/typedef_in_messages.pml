// about: A structure as a message field is sent whole.
// expect: holds
// states: 10
// errors: none
typedef Order { byte item; byte amount[2] }

chan shop = [1] of { byte, Order };

active proctype buyer()
{
    Order o;
    o.item = 7;
    o.amount[0] = 1;
    o.amount[1] = 2;
    shop!9, o
}

active proctype seller()
{
    Order got;
    byte tag;
    shop?tag, got;
    assert(tag == 9 && got.item == 7);
    assert(got.amount[0] == 1 && got.amount[1] == 2)
}
