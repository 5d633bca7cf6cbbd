// about: An array of structures shared by several processes, indexed by _pid and by a field.
// expect: holds
// states: 148
// errors: none
#define N 3
typedef Account { short balance; byte next }
Account acct[N];
byte done;

active [N] proctype owner()
{
    acct[_pid].next = (_pid + 1) % N;
    acct[_pid].balance = 10;
    done++;
    done == N;
    atomic {
        acct[_pid].balance = acct[_pid].balance - 2;
        acct[acct[_pid].next].balance = acct[acct[_pid].next].balance + 2
    }
    assert(acct[0].balance + acct[1].balance + acct[2].balance == 30)
}
