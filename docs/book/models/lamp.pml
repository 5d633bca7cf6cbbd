bool on;

active proctype toggle()
{
    do
    :: on = !on
    :: skip
    od
}

ltl again { [] <> on }
