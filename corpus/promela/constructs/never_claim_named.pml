// about: A named claim with accept state: the request must be answered; it always is.
// expect: holds
// liveness: yes
// states: 8
// errors: none
bool request, answer;

active proctype client()
{
    do
    :: !request && !answer -> request = true
    :: answer -> atomic { request = false; answer = false }
    od
}

active proctype server()
{
    do
    :: request && !answer -> answer = true
    od
}

never unanswered {
wait:
    do
    :: request && !answer -> goto accept_pending
    :: true
    od;
accept_pending:
    do
    :: !answer
    od
}
