bool fork, knife;

active proctype left()
{
    atomic { !fork -> fork = true };
    atomic { !knife -> knife = true };
    fork = false; knife = false
}

active proctype right()
{
    atomic { !knife -> knife = true };
    atomic { !fork -> fork = true };
    fork = false; knife = false
}
