// about: Peterson is free of starvation: who has asked gets in, if everybody keeps moving (weak fairness).
// expect: holds
// options: --fair
// liveness: yes
// states-noclaim: 20
// errors: none
bool want[2];
bit turn;

active [2] proctype user()
{
    do
    :: want[_pid] = true;
asked:
        turn = 1 - _pid;
        (!want[1 - _pid] || turn == _pid);
critical:
        want[_pid] = false
    od
}

ltl no_starvation { [] (user[0]@asked -> <> (user[0]@critical)) }
